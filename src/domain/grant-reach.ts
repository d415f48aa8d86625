import type { Json } from './json.ts'
import type { Scope } from './verdict.ts'

/** A file as a command named it when it was shown. */
export interface NamedFile {
  readonly path: string
  readonly hash: string | 'absent'
}

/** What an approval with one scope covers (product.md 10): calls of this tool for which all of this holds. */
export interface GrantReach {
  readonly scope: Scope
  readonly tool: string
  /** of the canonical call; `null` where other arguments are covered too */
  readonly digest: string | null
  /** the one file that is covered, whatever is written there; `null` where the arguments decide */
  readonly path: string | null
  /** files that must still be as they are: those a command names, and its programs */
  readonly files: readonly NamedFile[]
}

/** Of the call that is approved: its canonical input, and for a command the files whose hashes it rests on. */
export interface ReachableCall {
  readonly tool: string
  readonly digest: string
  readonly input: Json
  readonly files: readonly NamedFile[]
}

/** What approving `call` with `scope` covers; `null` when the scope means nothing for it. */
export function reachOf(scope: Scope, call: ReachableCall): GrantReach | null {
  const { tool, digest, files } = call
  const common = { scope, tool, path: null, files: [] }
  switch (scope) {
    case 'once':
    case 'command':
      return { ...common, digest }
    case 'run':
      return { ...common, digest, files }
    case 'path': {
      const path = pathOf(call.input)
      return path === null ? null : { ...common, digest: null, path }
    }
  }
}

function pathOf(input: Json): string | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null
  const path = Object.hasOwn(input, 'path') ? input['path'] : undefined
  return typeof path === 'string' ? path : null
}

/** The root of the run that asks: where a remembered approval holds, and with which it ends. */
export interface ReachRoot {
  readonly worker: string
  readonly startedBy: string
  /** the run that asks is itself the root */
  readonly isOwn: boolean
}

/** The same in sentences, for whoever is about to approve (security.md 16). Plain text; names in it are the agent's. */
export function reachWords(reach: GrantReach, root: ReachRoot | null): string[] {
  if (reach.scope === 'once') return ['This call, once.']
  return [
    whichCalls(reach),
    ...(reach.files.length === 0 ? [] : [`Only while these files are as now: ${listed(reach)}.`]),
    whichRuns(root),
    `Not what policy blocks by then, not once ${reach.tool} is defined otherwise, and only while you could still decide it.`,
  ]
}

function whichCalls({ scope, tool, path, digest }: GrantReach): string {
  switch (scope) {
    case 'path':
      return `Every further ${tool} on ${path ?? ''}, whatever the content.`
    case 'command':
      return `Every further ${tool} with exactly this command, whatever the files it names contain by then (digest ${digest ?? ''}).`
    default:
      return `Every further ${tool} with exactly these arguments (digest ${digest ?? ''}).`
  }
}

function listed({ files }: GrantReach): string {
  return files.map(({ path, hash }) => `${path} (${hash})`).join(', ')
}

function whichRuns(root: ReachRoot | null): string {
  if (root === null || root.isOwn)
    return 'In this run and every run it starts, until this run ends.'
  return `In the root run, ${root.worker} started by ${root.startedBy}, and in every run below it, this one included, until the root run ends.`
}
