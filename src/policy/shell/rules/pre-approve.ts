import type { CommandHost, Executable } from '#domain/tools/command.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { ShellRule, Zone } from '../../worker-definition.ts'
import type { Program } from '../programs/program.ts'
import { isMultiCall, maybeSameProgram } from '../programs/program-names.ts'
import { exactProgram, programNamed } from '../programs/registry.ts'
import { programName } from '../spelling/spelling.ts'
import { checkArguments, operandsOf } from '../strict/check-arguments.ts'
import {
  literalWord,
  quotedInMessage,
  variableMark,
  type KnownWord,
} from '../strict/expand-word.ts'
import { isUnlessArgument } from './token-pattern.ts'
import { outsideZones } from './command-zones.ts'

/** The context of a pre-approval. */
export interface CommandContext {
  readonly host: CommandHost
  readonly workspace: Workspace
  readonly cwd: string
  readonly zones: readonly Zone[]
  readonly rules: readonly ShellRule[]
}

/**
 * The answer of a rule that pre-approves about a vector. `skips`: the rule does not apply, with the
 * reason if there is one.
 */
export type PreApproval =
  | {
      readonly kind: 'approves'
      readonly words: readonly KnownWord[]
      /** the zones that the rule names, which the command sees even where reading them asks */
      readonly visibleZones: readonly string[]
      /** the paths in its arguments, and whether it works on its working folder */
      readonly paths: readonly string[]
      /** those of them that it may read: without what is certainly a pattern or a script */
      readonly mayRead: readonly string[]
    }
  | { readonly kind: 'asks'; readonly why: string }
  | { readonly kind: 'skips'; readonly why: string | null }

/**
 * Whether a rule pre-approves a vector. Under-matches: the pattern word for word, every argument
 * known to be harmless, none of `unlessArgs`, every path in the rule's zones, and the program found
 * on this host.
 */
export async function preApprove(
  rule: ShellRule,
  words: readonly KnownWord[],
  context: CommandContext,
): Promise<PreApproval> {
  const [name, ...args] = words
  const { pattern } = rule
  const matches = pattern.every((token, index) => words[index]?.text === token)
  if (name === undefined || !matches) return { kind: 'skips', why: null }
  const patternText = pattern.join(' ')
  const freeWords = words.slice(pattern.length)
  const excluded = freeWords.find(
    ({ text, hasVariable }) =>
      rule.unlessArgs.some((entry) => isUnlessArgument(text, entry)) ||
      (hasVariable && rule.unlessArgs.length > 0),
  )
  if (excluded !== undefined) {
    return { kind: 'skips', why: `rule "${patternText}" does not speak of ${excluded.printed}` }
  }
  const executable = await context.host.executable(name.text, context.cwd)
  if (executable === null) return { kind: 'asks', why: `${name.text} was not found on this host` }
  const program = exactProgram(programName(name.text))
  const anyVersion = programNamed(programName(name.text))
  const neverReason = anyVersion?.neverReason
  if (neverReason !== undefined) return { kind: 'asks', why: `${name.text} ${neverReason}` }
  if (program === undefined && needsOwnName(anyVersion)) {
    return { kind: 'asks', why: `${name.text} is a version of a program that ${onlyByName}` }
  }
  const wrapper = program?.wraps === undefined ? null : await wrappingOf(program, words, context)
  if (typeof wrapper === 'string') return { kind: 'asks', why: `${name.text} ${wrapper}` }
  const argumentCheck = wrapper ?? checkArguments(program, args, pattern.length - 1)
  if (argumentCheck.problem !== null)
    return { kind: 'asks', why: `${name.text} ${argumentCheck.problem}` }
  const otherName = await otherProgram(program, name.text, executable, context.host)
  if (otherName !== null) {
    const other = exactProgram(otherName)
    const { problem } = checkArguments(other, args, pattern.length - 1)
    const why = problem ?? (needsOwnName(programNamed(otherName)) ? onlyByName : null)
    if (why !== null) return { kind: 'asks', why: `${name.text} is ${otherName}, which ${why}` }
  }
  const paths = [...argumentCheck.paths, ...(argumentCheck.usesFolder ? [''] : [])]
  const { root } = context.workspace
  if (rule.zones !== null) {
    const variablePath = paths.find((path) => path.includes(variableMark))
    const outside = variablePath ?? (await outsideZones({ ...context, root }, rule.zones, paths))
    if (outside !== null) {
      const word = words.find(({ text, hasVariable }) => hasVariable && text.endsWith(outside))
      const what = outside === '' ? 'its folder' : quotedInMessage(word ?? literalWord(outside))
      return { kind: 'skips', why: `${what} is outside of the zones of rule "${patternText}"` }
    }
  }
  const folderProblem = await folderProblemOf(program, args, context)
  if (folderProblem !== null) return { kind: 'asks', why: folderProblem }
  const printedWords = wrapper === null ? printArguments(program, args) : wrapper.words
  const approved = [literalWord(executable.path), ...printedWords]
  return {
    kind: 'approves',
    words: approved,
    visibleZones: wrapper?.visibleZones ?? rule.zones ?? [],
    paths,
    mayRead: wrapper === null ? withoutPattern(program, args, paths) : ['', ...wrapper.mayRead],
  }
}

const onlyByName = 'only a rule that names it allows'

/** Whether a rule must use a program's own name: only by it are its helpers switched off. */
function needsOwnName(program: Program | undefined): boolean {
  return (program?.folderRuns ?? program?.safeArguments) !== undefined
}

/**
 * The paths without the first operand, where the program certainly takes it for a pattern or a
 * script: none of its flags says otherwise, and every word is known.
 */
function withoutPattern(
  program: Program | undefined,
  args: readonly KnownWord[],
  paths: readonly string[],
): readonly string[] {
  const { from, allWith = [], unclearWith = [] } = program?.reads ?? { from: 0 }
  const operands = from === 1 ? operandsOf(program, args) : null
  if (operands === null || args.some((word) => word.hasVariable)) return paths
  if ([...allWith, ...unclearWith].some((flag) => operands.flags.has(flag))) return paths
  const at = paths.indexOf(args[operands.indexes[0] ?? args.length]?.text ?? '')
  return at === -1 ? paths : paths.toSpliced(at, 1)
}

/**
 * The name of the program that a link or an alternative leads to, when it differs: `view` may be
 * `vim`. `null` when it is the same, or one file with many programs.
 */
async function otherProgram(
  program: Program | undefined,
  name: string,
  executable: Executable,
  host: CommandHost,
): Promise<string | null> {
  const realPath = await host.realPath(executable.path)
  const otherName = programName(realPath ?? executable.path)
  if (isMultiCall(otherName)) return program === undefined ? otherName : null
  const isSame = maybeSameProgram(otherName, programName(name))
  if (isSame || (program !== undefined && exactProgram(otherName) === program)) return null
  return otherName
}

function printArguments(
  program: Program | undefined,
  args: readonly KnownWord[],
): readonly KnownWord[] {
  const printed = program?.safeArguments?.(args.map((word) => word.text))
  if (printed === undefined) return args
  const { leading: before, insertAt: after, inserted: printedWords } = printed
  return [
    ...before.map(literalWord),
    ...args.slice(0, after),
    ...printedWords.map(literalWord),
    ...args.slice(after),
  ]
}

interface Wrapping {
  readonly problem: string | null
  readonly words: readonly KnownWord[]
  readonly paths: readonly string[]
  readonly mayRead: readonly string[]
  readonly usesFolder: boolean
  readonly visibleZones: readonly string[]
}

/**
 * What was found out about wrappers, by command and by the words from the wrapper on. Several rules
 * may name one wrapper: without this map, each level of nested wrappers would be judged once for
 * every combination of these rules.
 */
const wrappings = new WeakMap<
  CommandContext,
  WeakMap<readonly KnownWord[], Promise<Wrapping | string>>
>()

function wrappingOf(
  program: Program,
  words: readonly KnownWord[],
  context: CommandContext,
): Promise<Wrapping | string> {
  const byWords =
    wrappings.get(context) ?? new WeakMap<readonly KnownWord[], Promise<Wrapping | string>>()
  wrappings.set(context, byWords)
  const wrapping = byWords.get(words) ?? judgeWrapper(program, words.slice(1), context)
  byWords.set(words, wrapping)
  return wrapping
}

/**
 * A wrapper is pre-approved with the command it runs, which a rule must pre-approve by itself; a
 * text says why not.
 */
async function judgeWrapper(
  program: Program,
  args: readonly KnownWord[],
  context: CommandContext,
): Promise<Wrapping | string> {
  const at = commandIndex(program, args)
  if (at === null) return 'has an option that is not understood'
  const ownWords = args.slice(0, at)
  const inner = args.slice(at)
  if (inner.length === 0) return 'runs nothing that could be judged'
  const paths = ownWords.map((word) => word.text).filter((text) => text.includes('/'))
  for (const rule of context.rules) {
    if (rule.consent.approval !== 'preApproved') continue
    const preApproval = await preApprove(rule, inner, context)
    if (preApproval.kind !== 'approves') continue
    const allPaths = [...paths, ...preApproval.paths]
    const words = [...ownWords, ...preApproval.words]
    return {
      problem: null,
      words,
      paths: allPaths,
      mayRead: [...paths, ...preApproval.mayRead],
      usesFolder: true,
      visibleZones: preApproval.visibleZones,
    }
  }
  return 'runs a command that no rule pre-approves by itself'
}

/** The command's index after a wrapper's words; `null`: one of its options is not clear. */
export function commandIndex(program: Program, args: readonly KnownWord[]): number | null {
  let at = 0
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? ''
    if (!text.startsWith('-')) break
    if (text === '-' || text === '--') return null
    const equals = text.startsWith('--') ? text.indexOf('=') : -1
    const meaning = program.wraps?.get(equals < 0 ? text : text.slice(0, equals))
    if (meaning === undefined || (equals >= 0 && meaning.value === 'none')) return null
    if (meaning.value === 'needed' && equals < 0) at += 1
  }
  const start = at + (program.wrapsAfter ?? 0)
  return args[start]?.text.includes('=') === true ? null : start
}

/**
 * What the folder's own settings would make a program run, if that cannot be switched off; a
 * sentence, or `null`.
 */
async function folderProblemOf(
  program: Program | undefined,
  args: readonly KnownWord[],
  context: CommandContext,
): Promise<string | null> {
  const settings = program?.folderRuns
  if (settings === undefined) return null
  const folderPath = [context.workspace.root, context.cwd].join('/')
  if (
    settings.entersNested(args.map(({ text }) => text)) &&
    (await context.host.nestsRepositories(folderPath, context.workspace))
  ) {
    return 'it would run in the repositories within the repository, with their own settings'
  }
  const names = context.cwd === '' ? [] : context.cwd.split('/')
  for (let depth = names.length; depth >= 0; depth -= 1) {
    const folder = names.slice(0, depth).join('/')
    const below = (name: string): string => (folder === '' ? name : `${folder}/${name}`)
    try {
      const state = await context.workspace.state(below(settings.marker))
      if (state.kind === 'absent') continue
      if (state.kind === 'unknown')
        return `${below(settings.marker)} is not looked at for a program`
      if (state.kind !== 'directory') return `${below(settings.marker)} leads elsewhere`
      const indirection = below(settings.without)
      if ((await context.workspace.state(indirection)).kind !== 'absent')
        return `${indirection} is there`
      const bytes = await context.workspace.read(below(settings.file), { maxBytes: 256 * 1024 })
      return settings.refuses(new TextDecoder().decode(bytes))
    } catch (error) {
      if (!(error instanceof WorkspaceProblem)) throw error
      if (error.code !== 'not_found') return `${below(settings.file)} cannot be read`
    }
  }
  return null
}
