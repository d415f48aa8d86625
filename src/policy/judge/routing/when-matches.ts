import type { CueId } from '#domain/policy/cues.ts'
import type { FrozenWhy } from '#domain/deciding/judgement.ts'
import type { Access } from '#domain/tools/access.ts'
import type { Risk } from '#domain/policy/verdict.ts'
import type { When } from '../../routing.ts'
import { compileGlob, globBase } from '../../globs/compile-glob.ts'
import type { CommandTraits } from './command-traits.ts'
import { containsPath } from '../../globs/zones-of-path.ts'

/** The traits of a call for routing and overlays. */
export interface CallTraits {
  readonly tool: string
  readonly accesses: readonly Access[]
  readonly worker: string
  /** the queue of the call without routing */
  readonly queue: string | null
  /** before routing */
  readonly risk: Risk
  /** `null`: the call is not a command */
  readonly command: CommandTraits | null
  /** ids of its cues; absent: it has none */
  readonly cues?: readonly CueId[]
  /** the least risk by its cues; absent: routing may set any */
  readonly leastRisk?: Risk
  /** the reason of the risk before routing; absent: it is the tool's own */
  readonly riskWhy?: string
  /** the reason of the queue; absent: it is the default */
  readonly queueWhy?: FrozenWhy | null
}

/** Whether all given conditions match. A call that is not a command matches no `command`. */
export function whenMatches(when: When, call: CallTraits): boolean {
  const { command } = call
  return (
    someMatch(when.command, (pattern) => command?.someIs(pattern) === true) &&
    someMatch(when.tool, (pattern) => globMatches(pattern, call.tool)) &&
    someMatch(when.path, (pattern) => call.accesses.some((access) => touches(pattern, access))) &&
    someMatch(when.worker, (name) => name === call.worker) &&
    someMatch(when.queue, (name) => name === call.queue) &&
    someMatch(when.risk, (risk) => risk === call.risk) &&
    someMatch(when.cue, (cue) => call.cues?.includes(cue) === true)
  )
}

function someMatch<T>(values: readonly T[] | null, matches: (value: T) => boolean): boolean {
  return values === null || values.some(matches)
}

/** How much of a call the conditions are about. */
export type Coverage = 'none' | 'part' | 'whole'

/**
 * The same conditions for routing, which sends the whole call to one queue: conditions may be about
 * one command of a script, or one path of a move. A command's path is the folder in which it runs,
 * and is never the whole: its author chose the folder, and it may change to another one.
 */
export function coverageOf(when: When, call: CallTraits): Coverage {
  if (!whenMatches({ ...when, path: null }, call)) return 'none'
  const paths = pathsCovered(when.path, call)
  if (paths === 'none') return 'none'
  // A cue of a command comes from one command of it.
  if (when.cue !== null && call.command !== null) return 'part'
  const commands = when.command === null || call.command?.allAre(when.command) === true
  return commands ? paths : 'part'
}

function pathsCovered(patterns: readonly string[] | null, call: CallTraits): Coverage {
  if (patterns === null) return 'whole'
  const { accesses } = call
  const some = (matches: (pattern: string, access: Access) => boolean) => (access: Access) =>
    patterns.some((pattern) => matches(pattern, access))
  if (call.command !== null) {
    const names = (pattern: string, folder: Access): boolean =>
      globMatches(pattern, folder.path) || contains(pattern, folder)
    return accesses.some(some(names)) ? 'part' : 'none'
  }
  if (!accesses.some(some(touches))) return 'none'
  return accesses.every(some(contains)) ? 'whole' : 'part'
}

/** Whether the pattern matches everything that the access could touch. */
function contains(pattern: string, access: Access): boolean {
  if (access.target === 'file') return globMatches(pattern, access.path)
  const { base, rest } = globBase(pattern)
  return rest === '**' && containsPath(base, access.path)
}

/** Listing or searching a folder touches everything below it that the pattern can match. */
function touches(pattern: string, access: Access): boolean {
  if (globMatches(pattern, access.path)) return true
  return access.target !== 'file' && mayMatchIn(pattern, access.path)
}

/** Whether a glob could match a folder or something in it. `''` is the whole workspace. */
export function mayMatchIn(glob: string, folder: string): boolean {
  const { base } = globBase(glob)
  return containsPath(folder, base) || containsPath(base, folder)
}

const matchers = new Map<string, (text: string) => boolean>()

/**
 * Whether a glob matches, including names that begin with a dot. Compiled once. Throws for an
 * invalid glob, which the configuration refuses.
 */
export function globMatches(pattern: string, text: string): boolean {
  let matcher = matchers.get(pattern)
  if (matcher === undefined) {
    const compiled = compileGlob(pattern, { byName: false })
    if (!compiled.ok) throw new TypeError(`${JSON.stringify(pattern)}: ${compiled.problem}`)
    matcher = (one) => compiled.matches(one)
    if (matchers.size > 5000) matchers.clear()
    matchers.set(pattern, matcher)
  }
  return text === pattern || matcher(text)
}
