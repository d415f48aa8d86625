import type { CommandHost } from '../../../domain/command.ts'
import type { Workspace } from '../../../domain/tool.ts'
import { WorkspaceProblem } from '../../../domain/workspace-problem.ts'
import type { ShellRule, Zone } from '../../policy.ts'
import type { Program } from '../programs/program.ts'
import { programNamed } from '../programs/registry.ts'
import { programName } from '../spelling/spelling.ts'
import { checkArguments } from '../strict/check-arguments.ts'
import { literalWord, variableMark, type KnownWord } from '../strict/known-word.ts'
import { isUnlessArgument } from './unless-args.ts'
import { outsideZones } from './within-zones.ts'

/** What a pre-approval is judged with. */
export interface CommandPlace {
  readonly host: CommandHost
  readonly workspace: Workspace
  readonly cwd: string
  readonly zones: readonly Zone[]
  readonly rules: readonly ShellRule[]
}

/** What a rule that would pre-approve says of a vector. `skips`: it does not speak of it, with the reason if there is one. */
export type PreApproval =
  | { readonly kind: 'approves'; readonly words: readonly KnownWord[] }
  | { readonly kind: 'asks'; readonly why: string }
  | { readonly kind: 'skips'; readonly why: string | null }

/**
 * Does a rule pre-approve a vector? Under-matches: the pattern word for word, every argument known to be harmless, none of
 * `unlessArgs`, every path in the rule's zones, and the program found on this host.
 */
export async function preApprove(
  rule: ShellRule,
  words: readonly KnownWord[],
  place: CommandPlace,
): Promise<PreApproval> {
  const [name, ...rest] = words
  const { pattern } = rule
  const matches = pattern.every((token, index) => words[index]?.text === token)
  if (name === undefined || !matches) return { kind: 'skips', why: null }
  const shown = pattern.join(' ')
  const free = words.slice(pattern.length)
  const unless = free.find(
    ({ text, hasVariable }) =>
      rule.unlessArgs.some((entry) => isUnlessArgument(text, entry)) ||
      (hasVariable && rule.unlessArgs.length > 0),
  )
  if (unless !== undefined) {
    return { kind: 'skips', why: `rule "${shown}" does not speak of ${unless.printed}` }
  }
  const program = programNamed(programName(name.text))
  const wrapped = program?.wraps === undefined ? null : await wrapping(program, rest, place)
  if (typeof wrapped === 'string') return { kind: 'asks', why: `${name.text} ${wrapped}` }
  const checked = wrapped ?? checkArguments(program, rest, pattern.length - 1)
  if (checked.problem !== null) return { kind: 'asks', why: `${name.text} ${checked.problem}` }
  if (rule.zones !== null) {
    const paths = [...checked.paths, ...(checked.folder ? [''] : [])]
    const marked = paths.find((path) => path.includes(variableMark))
    const root = place.workspace.root
    const outside = marked ?? (await outsideZones({ ...place, root }, rule.zones, paths))
    if (outside !== null) {
      const what = outside === '' ? 'its folder' : JSON.stringify(outside)
      return { kind: 'skips', why: `${what} is outside of the zones of rule "${shown}"` }
    }
  }
  const helper = await folderRuns(program, place)
  if (helper !== null) return { kind: 'asks', why: helper }
  const found = await place.host.executable(name.text, place.cwd)
  if (found === null) return { kind: 'asks', why: `${name.text} was not found on this host` }
  const behind = wrapped === null ? printedArguments(program, rest) : wrapped.words
  return { kind: 'approves', words: [literalWord(found.path), ...behind] }
}

function printedArguments(
  program: Program | undefined,
  rest: readonly KnownWord[],
): readonly KnownWord[] {
  const printed = program?.printed?.(rest.map((word) => word.text))
  if (printed === undefined) return rest
  const { before, after, behind } = printed
  return [
    ...before.map(literalWord),
    ...rest.slice(0, after),
    ...behind.map(literalWord),
    ...rest.slice(after),
  ]
}

interface Wrapping {
  readonly problem: string | null
  readonly words: readonly KnownWord[]
  readonly paths: readonly string[]
  readonly folder: boolean
}

/** A wrapper is pre-approved with the command it runs, which a rule must pre-approve by itself; a text says why not. */
async function wrapping(
  program: Program,
  rest: readonly KnownWord[],
  place: CommandPlace,
): Promise<Wrapping | string> {
  const at = commandIndex(program, rest)
  if (at === null) return 'has an option that is not understood'
  const own = rest.slice(0, at)
  const inner = rest.slice(at)
  if (inner.length === 0) return 'runs nothing that could be judged'
  const paths = own.map((word) => word.text).filter((text) => text.includes('/'))
  for (const rule of place.rules) {
    if (rule.consent.approval !== 'preApproved') continue
    const answer = await preApprove(rule, inner, place)
    if (answer.kind !== 'approves') continue
    return { problem: null, words: [...own, ...answer.words], paths, folder: true }
  }
  return 'runs a command that no rule pre-approves by itself'
}

/** Where the command behind a wrapper's own words begins; `null` when one of its options is not understood. */
function commandIndex(program: Program, rest: readonly KnownWord[]): number | null {
  let at = 0
  for (; at < rest.length; at += 1) {
    const text = rest[at]?.text ?? ''
    if (!text.startsWith('-')) break
    if (text === '-' || text === '--') return null
    const equals = text.startsWith('--') ? text.indexOf('=') : -1
    const meaning = program.wraps?.get(equals < 0 ? text : text.slice(0, equals))
    if (meaning === undefined || (equals >= 0 && meaning.value === 'none')) return null
    if (meaning.value === 'needed' && equals < 0) at += 1
  }
  const start = at + (program.wrapsAfter ?? 0)
  return rest[start]?.text.includes('=') === true ? null : start
}

/** What the folder's own settings would make a program run, where that cannot be switched off; a sentence, or `null`. */
async function folderRuns(
  program: Program | undefined,
  place: CommandPlace,
): Promise<string | null> {
  const settings = program?.folderRuns
  if (settings === undefined) return null
  const names = place.cwd === '' ? [] : place.cwd.split('/')
  for (let depth = names.length; depth >= 0; depth -= 1) {
    const folder = names.slice(0, depth).join('/')
    const below = (name: string): string => (folder === '' ? name : `${folder}/${name}`)
    try {
      const state = await place.workspace.state(below(settings.marker))
      if (state.kind === 'absent') continue
      if (state.kind !== 'directory') return `${below(settings.marker)} leads elsewhere`
      const other = below(settings.without)
      if ((await place.workspace.state(other)).kind !== 'absent') return `${other} is there`
      const bytes = await place.workspace.read(below(settings.file), { maxBytes: 256 * 1024 })
      return settings.refuses(new TextDecoder().decode(bytes))
    } catch (error) {
      if (!(error instanceof WorkspaceProblem)) throw error
      if (error.code !== 'not_found') return `${below(settings.file)} cannot be read`
    }
  }
  return null
}
