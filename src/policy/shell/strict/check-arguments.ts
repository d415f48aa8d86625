import { valueIn } from '#domain/json/value-in.ts'
import type { FlagMeaning, Flags, Program } from '../programs/program.ts'
import { quotedInMessage, wordInMessage, type KnownWord } from './expand-word.ts'

/** The result of checking the arguments of a command that a rule would pre-approve. */
export interface CheckedArguments {
  /** why they may be harmful, as the end of the sentence "NAME …"; `null`: they are not */
  readonly problem: string | null
  /** the arguments and flag values that may be paths */
  readonly paths: readonly string[]
  /** the command also uses the folder it runs in */
  readonly usesFolder: boolean
}

/**
 * Checks the words after a program's name against its entry. `spelled`: how many of them the rule's
 * own pattern spells out; the rule is responsible for these.
 */
export function checkArguments(
  program: Program | undefined,
  words: readonly KnownWord[],
  spelledCount: number,
): CheckedArguments {
  const paths: string[] = []
  const refuse = (problem: string): CheckedArguments => ({ problem, paths, usesFolder: true })
  if (program?.neverReason !== undefined) return refuse(program.neverReason)
  const at = words.findIndex((word) => !word.text.startsWith('-'))
  const name = at < 0 ? undefined : words[at]
  const sub =
    program?.subcommands === undefined || name === undefined
      ? null
      : subcommandOf(program, name.text)
  if (program?.subcommands !== undefined && name !== undefined && sub === null) {
    return refuse(`has no command ${quotedInMessage(name)} among those that a rule can pre-approve`)
  }
  const ownFlags = sub === null ? (program?.flags ?? null) : sub.flags
  const reader = new Operands(ownFlags, spelledCount, program)
  for (const [index, word] of words.entries()) {
    const isEarly = sub !== null && index < at
    const problem = isEarly
      ? problemOfEarlyFlag(program, word, index < spelledCount)
      : reader.take(word, index)
    if (problem !== null) return refuse(problem)
  }
  const operands = sub === null ? reader.operands : reader.operands.slice(1)
  const texts = operands.map((operand) => operand.text)
  const operandProblem = (sub === null ? program?.operands : sub.operands)?.(texts) ?? null
  if (operandProblem !== null) return refuse(operandProblem)
  const refusal = (sub === null ? program?.refuses : sub.refuses)?.(
    words.map(({ text }) => text),
    spelledCount,
  )
  if (refusal !== undefined && refusal !== null) return refuse(refusal)
  // The program is unknown: an operand may be code, a file that it runs or a disguised option.
  const required = program === undefined ? 'all' : (sub?.spellOut ?? program.spellOut ?? 0)
  const firstUnspelled = reader.operands.findIndex((operand) => operand.index >= spelledCount)
  const unspelled = words[reader.operands[firstUnspelled]?.index ?? -1]
  if (unspelled !== undefined && (required === 'all' || firstUnspelled < required)) {
    return refuse(`runs ${quotedInMessage(unspelled)}, which the rule does not spell out`)
  }
  paths.push(
    ...reader.values,
    ...operands.filter((operand) => operand.index >= spelledCount).map((operand) => operand.text),
  )
  return {
    problem: null,
    paths,
    usesFolder:
      program?.readsFolder === true ||
      (operands.length === 0 && program?.readsInput !== true) ||
      searchesFolder(program, reader),
  }
}

/** Whether a search without a file among its operands reads the working folder instead. */
function searchesFolder(program: Program | undefined, { names, operands }: Operands): boolean {
  const { searchesFolder: flags, reads } = program ?? {}
  if (flags === undefined || reads === undefined) return false
  const isSearch = flags === true || flags.some((flag) => names.has(flag))
  const isAllFiles = reads.allWith?.some((flag) => names.has(flag)) === true
  return isSearch && operands.length <= (isAllFiles ? 0 : reads.from)
}

/**
 * The indexes of a program's operands among the words after its name, and its flags; `null` where
 * an option is not known, which may have a value.
 */
export function operandsOf(
  program: Program | undefined,
  words: readonly KnownWord[],
): { readonly indexes: readonly number[]; readonly flags: ReadonlySet<string> } | null {
  const reader = new Operands(program?.flags ?? null, 0, program)
  for (const [index, word] of words.entries()) {
    if (reader.take(word, index) !== null) return null
  }
  return { indexes: reader.operands.map(({ index }) => index), flags: reader.names }
}

function subcommandOf(program: Program, name: string) {
  const { subcommands = {} } = program
  return valueIn(subcommands, name) ?? null
}

function problemOfEarlyFlag(
  program: Program | undefined,
  word: KnownWord,
  isSpelled: boolean,
): string | null {
  if (isSpelled || program?.flags?.get(word.text)?.value === 'none') return null
  return `has the option ${wordInMessage(word)} before its command`
}

/** Parses words as options and operands, as getopt does, without abbreviations. */
class Operands {
  readonly operands: { readonly text: string; readonly index: number }[] = []
  /** values of flags that name files */
  readonly values: string[] = []
  /** the flags themselves, without their values */
  readonly names = new Set<string>()
  readonly #flags: Flags | null
  readonly #spelledCount: number
  readonly #program: Program | undefined
  #pendingValue: FlagMeaning | null = null
  #hasEnded = false

  constructor(ownFlags: Flags | null, spelledCount: number, program: Program | undefined) {
    this.#flags = ownFlags
    this.#spelledCount = spelledCount
    this.#program = program
  }

  /** Takes the next word; returns why it is refused, or `null`. */
  take(word: KnownWord, index: number): string | null {
    const { text } = word
    if (this.#pendingValue !== null) {
      if (this.#pendingValue.path) this.values.push(text)
      this.#pendingValue = null
      return null
    }
    const isFlag = this.#isFlag(text) && !this.#hasEnded
    if (!isFlag) {
      this.operands.push({ text, index })
      return null
    }
    if (text === '--' && this.#flags !== null && this.#program?.wordFlags !== true) {
      this.#hasEnded = true
      return null
    }
    const flag = this.#flag(text)
    if (flag || index < this.#spelledCount) return null
    return `has the option ${wordInMessage(word)}, which is not known to be harmless`
  }

  /** Many programs have options `+cmd` and `@file`: words only if every flag is known. */
  #isFlag(text: string): boolean {
    if (text.length < 2) return false
    const form = this.#program?.isFlag
    if (form !== undefined) return form.test(text)
    return text.startsWith('-') || (this.#flags === null && /^[+@]/.test(text))
  }

  #flag(text: string): boolean {
    const flags = this.#flags
    if (flags === null) return false
    if (this.#program?.wordFlags === true) return this.#acceptValue(flags, text, null)
    if (text.startsWith('--')) {
      const equals = text.indexOf('=')
      if (equals < 0) return this.#acceptValue(flags, text, null)
      return this.#acceptValue(flags, text.slice(0, equals), text.slice(equals + 1))
    }
    if (flags.has('-#') && /^-\d+$/.test(text)) return true
    return this.#cluster(flags, text)
  }

  /** A flag with its attached value; `null`: none, so that a required value is the next word. */
  #acceptValue(flags: Flags, name: string, value: string | null): boolean {
    const meaning = flags.get(name)
    if (meaning === undefined) return false
    this.names.add(name)
    if (value === null) {
      if (meaning.value === 'needed') this.#pendingValue = meaning
      return true
    }
    if (meaning.value === 'none') return false
    if (meaning.path) this.values.push(value)
    return true
  }

  /** `-la`, `-n5`: letters one by one, until one has a value. */
  #cluster(flags: Flags, text: string): boolean {
    if (flags.has(text)) return this.#acceptValue(flags, text, null)
    for (let at = 1; at < text.length; at += 1) {
      const name = `-${text[at] ?? ''}`
      const hasValue = flags.get(name)?.value !== 'none'
      const rest = hasValue ? text.slice(at + 1) : ''
      const isTaken = this.#acceptValue(flags, name, rest === '' ? null : rest)
      if (hasValue || !isTaken) return isTaken
    }
    return true
  }
}
