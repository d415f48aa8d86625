import { parseFile } from '@swc/core'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Calls that judge whether the caller may. A verb makes one of them itself, so that a reader sees
 * where; add a name here only for a function that refuses or answers for one caller.
 */
const authorisers = new Set(['requireRight', 'hasRight', 'judgeEligibility'])

/** Calls that append to the trail for the verb, in its transaction; `unit.audit` counts by itself. */
const auditors = new Set(['endRun', 'auditRefusal', 'appendAudit'])

/** Why a verb may go without one of the two. */
export interface Exemption {
  authorises?: string
  audits?: string
}

/** Verbs that write and yet leave out one of the two, by path below `src/services`, each with its reason. */
export const exemptions: Readonly<Record<string, Exemption>> = {}

/** What the syntax tree of one file says. */
interface SourceFacts {
  /** names of called functions, and of called methods */
  called: Set<string>
  /** opens a transaction of its own, or writes outside one: what a helper inside a verb's never does */
  writes: boolean
}

/** Every mutating verb below `folder` that does not authorise or audit, as a sentence each. */
export async function checkVerbs(
  folder: string,
  exempt: Readonly<Record<string, Exemption>>,
): Promise<{ verbs: number; problems: string[] }> {
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => /^[a-z-]+\.ts$/.test(basename(name))).toSorted()
  const problems: string[] = []
  const used = new Set<string>()
  let verbs = 0
  for (const file of files) {
    const { called, writes } = await readFacts(join(folder, file))
    if (!writes) continue
    verbs += 1
    const lacks = {
      authorises: !intersects(called, authorisers),
      audits: !called.has('audit') && !intersects(called, auditors),
    }
    for (const duty of ['authorises', 'audits'] as const) {
      const excused = exempt[file]?.[duty] !== undefined
      if (excused) used.add(`${file} ${duty}`)
      if (lacks[duty] && !excused) problems.push(`${file} writes and never ${duty}`)
      if (!lacks[duty] && excused) problems.push(`${file} ${duty}: its exemption is not needed`)
    }
  }
  for (const [file, excuse] of Object.entries(exempt))
    for (const duty of Object.keys(excuse))
      if (!used.has(`${file} ${duty}`)) problems.push(`${file}: exempt (${duty}), but no such verb`)
  return { verbs, problems }
}

async function readFacts(path: string): Promise<SourceFacts> {
  const tree = await parseFile(path, { syntax: 'typescript', target: 'es2024' })
  const facts: SourceFacts = { called: new Set(), writes: false }
  visit(tree, (node) => {
    if (node['type'] !== 'CallExpression') return
    const callee = node['callee'] as Node
    const name = calleeName(callee)
    facts.called.add(name)
    if (name === 'inUnitOfWork') facts.writes = true
    if (writingMethods.has(name) && source(callee).startsWith('ctx.db')) facts.writes = true
  })
  return facts
}

const writingMethods = new Set(['insertInto', 'updateTable', 'deleteFrom', 'transaction'])

type Node = Record<string, unknown>

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) visit(one, see)
  else if (typeof node === 'object' && node !== null) {
    see(node as Node)
    for (const value of Object.values(node)) visit(value, see)
  }
}

function calleeName(callee: Node): string {
  if (callee['type'] === 'Identifier') return callee['value'] as string
  if (callee['type'] === 'MemberExpression')
    return ((callee['property'] as Node)['value'] as string | undefined) ?? ''
  return ''
}

/** `ctx.db.transaction` for the callee of `ctx.db.transaction()`; calls in between are left out. */
function source(node: Node): string {
  if (node['type'] === 'Identifier') return node['value'] as string
  if (node['type'] === 'CallExpression') return source(node['callee'] as Node)
  if (node['type'] !== 'MemberExpression') return ''
  return `${source(node['object'] as Node)}.${calleeName(node)}`
}

function intersects(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((one) => others.has(one))
}
