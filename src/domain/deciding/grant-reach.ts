import { isJsonObject } from '../json/is-object.ts'
import { textIn } from '../json/value-in.ts'
import { hashJson } from '../json/digest.ts'
import type { Json } from '../json/json.ts'
import type { CallFacts } from '../requests/request.ts'
import type { Scope } from '../policy/verdict.ts'

/** A file that a command names, as it was when the request was shown. */
export interface NamedFile {
  readonly path: string
  readonly hash: string | 'absent'
}

/**
 * What an approval with one scope covers (product.md 10): calls of this tool for which everything
 * here holds.
 */
export interface GrantReach {
  readonly scope: Scope
  readonly tool: string
  /** of the canonical call; `null`: other arguments are covered too */
  readonly digest: string | null
  /** the one file that is covered, with any contents; `null`: the arguments decide */
  readonly path: string | null
  /** files that must be unchanged: those a command names, and its programs */
  readonly files: readonly NamedFile[]
}

/** Of the approved call: its canonical input, and the facts in its request. */
export interface ReachableCall {
  readonly tool: string
  readonly digest: string
  readonly input: Json
  readonly facts: CallFacts
}

/** The facts of an approved command besides its vector. */
export interface GrantedCommand {
  /** the files it names; `null`: their contents may change (scope `command`) */
  readonly files: readonly NamedFile[] | null
  /** hash of the other facts: its programs and the sandbox profile */
  readonly rest: string
}

/** The facts of a command that an approval with this scope is for. */
export function grantedCommand(scope: Scope, facts: CallFacts): GrantedCommand {
  return { files: scope === 'command' ? null : facts.bases, rest: hashJson(facts.detail ?? {}) }
}

/** Whether the facts of a command are still those that were approved (product.md 10). */
export function stillRestsOn(granted: GrantedCommand, now: CallFacts): boolean {
  const scope = granted.files === null ? 'command' : 'run'
  return hashJson({ ...granted }) === hashJson({ ...grantedCommand(scope, now) })
}

/** What an approval of `call` with `scope` covers; `null` when the scope does not apply to it. */
export function reachOf(scope: Scope, call: ReachableCall): GrantReach | null {
  const { tool, digest } = call
  const files = isCommand(call.facts) ? [...call.facts.bases, ...programsOf(call.facts)] : []
  const common = { scope, tool, path: null, files: [] }
  switch (scope) {
    case 'once':
      return { ...common, digest }
    case 'command':
      return { ...common, digest, files: programsOf(call.facts) }
    case 'run':
      return { ...common, digest, files }
    case 'path': {
      const path = pathOf(call.input)
      return path === null ? null : { ...common, digest: null, path }
    }
  }
}

/** Only commands record their programs (tools/commands). */
export function isCommand({ detail }: CallFacts): boolean {
  return detail !== undefined && Array.isArray(detail['programs'])
}

/** The programs that a command calls, as they were found. */
function programsOf({ detail }: CallFacts): NamedFile[] {
  const programs = detail?.['programs']
  if (!Array.isArray(programs)) return []
  return programs.flatMap((program) => {
    const { path, hash } = program as { readonly path?: unknown; readonly hash?: unknown }
    return typeof path === 'string' && typeof hash === 'string' ? [{ path, hash }] : []
  })
}

function pathOf(input: Json): string | null {
  return isJsonObject(input) ? textIn(input, 'path') : null
}

/** The root of the asking run: a remembered approval holds in it and ends with it. */
export interface ReachRoot {
  readonly worker: string
  readonly startedBy: string
  /** the asking run is the root */
  readonly isOwn: boolean
}

/**
 * The reach in sentences for the approver (security.md 16). Plain text; the names in it come from
 * the agent.
 */
export function reachWords(reach: GrantReach, root: ReachRoot | null): string[] {
  if (reach.scope === 'once') return ['This call, once.']
  return [
    whichCalls(reach),
    ...(reach.files.length === 0
      ? []
      : [`Only while these files are as now: ${listFiles(reach)}.`]),
    whichRuns(root),
    `Not calls that policy blocks by then; not after the definition of ${reach.tool} changes; and only as long as you may decide such calls.`,
  ]
}

function whichCalls({ scope, tool, path }: GrantReach): string {
  switch (scope) {
    case 'path':
      return `Every further ${tool} on ${quotePath(path ?? '')}, whatever ${changing.get(tool) ?? 'its other arguments are'}.`
    case 'command':
      return `Every further ${tool} with exactly this command, whatever the files it names contain by then.`
    default:
      return `Every further ${tool} with exactly these arguments.`
  }
}

function listFiles({ files }: GrantReach): string {
  return files.map(({ path }) => quotePath(path)).join(', ')
}

/** What a built-in tool changes in a file besides its name. */
const changing: ReadonlyMap<string, string> = new Map([
  ['write_file', 'the content'],
  ['edit_file', 'the content'],
])

const plainPath = /^[\w./@+-]+$/

/** Quotes a name with other characters: a comma and blanks could be a part of the sentence. */
function quotePath(path: string): string {
  return plainPath.test(path) ? path : JSON.stringify(path)
}

function whichRuns(root: ReachRoot | null): string {
  if (root === null || root.isOwn)
    return 'In this run and every run it starts, until this run ends.'
  return `In the root run, ${root.worker} started by ${root.startedBy}, and in every run below it, this one included, until the root run ends.`
}
