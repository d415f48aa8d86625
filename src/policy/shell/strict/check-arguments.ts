import type { FlagMeaning, Flags, Program } from '../programs/program.ts'
import type { KnownWord } from './known-word.ts'

/** What the arguments of a command that a rule would pre-approve come to. */
export interface CheckedArguments {
  /** why they are not known to be harmless, as the end of the sentence "NAME …"; `null` when they are */
  readonly problem: string | null
  /** the arguments and flag values that may be paths */
  readonly paths: readonly string[]
  /** the folder the command stands in counts as well */
  readonly folder: boolean
}

/**
 * Checks the words behind a program's name against what is known of it. `spelled`: how many of them the rule's own pattern
 * spells out; these are the rule's responsibility.
 */
export function checkArguments(
  program: Program | undefined,
  words: readonly KnownWord[],
  spelled: number,
): CheckedArguments {
  const paths: string[] = []
  const refuse = (problem: string): CheckedArguments => ({ problem, paths, folder: true })
  if (program?.never !== undefined) return refuse(program.never)
  const at = words.findIndex((word) => !word.text.startsWith('-'))
  const name = at < 0 ? undefined : words[at]?.text
  const sub = program?.subcommands === undefined || name === undefined ? null : ownOf(program, name)
  if (program?.subcommands !== undefined && name !== undefined && sub === null) {
    return refuse(`has no command "${name}" among those that a rule can pre-approve`)
  }
  const own = sub === null ? (program?.flags ?? null) : sub.flags
  const read = new Operands(own, spelled, program?.wordFlags === true)
  for (const [index, word] of words.entries()) {
    const early = sub !== null && index < at
    const problem = early ? earlyFlag(program, word, index < spelled) : read.take(word, index)
    if (problem !== null) return refuse(problem)
  }
  const operands = sub === null ? read.operands : read.operands.slice(1)
  const texts = operands.map((operand) => operand.text)
  const refused = (sub === null ? program?.operands : sub.operands)?.(texts) ?? null
  if (refused !== null) return refuse(refused)
  const told = (sub === null ? program?.refuses : sub.refuses)?.(
    words.map(({ text }) => text),
    spelled,
  )
  if (told !== undefined && told !== null) return refuse(told)
  const demanded = program?.spellOut ?? 0
  const unspelled = read.operands.findIndex((operand) => operand.index >= spelled)
  if (unspelled >= 0 && (demanded === 'all' || unspelled < demanded)) {
    return refuse(
      `runs "${read.operands[unspelled]?.text ?? ''}", which the rule does not spell out`,
    )
  }
  paths.push(
    ...read.values,
    ...operands.filter((one) => one.index >= spelled).map((one) => one.text),
  )
  return { problem: null, paths, folder: program?.readsFolder === true || operands.length === 0 }
}

function ownOf(program: Program, name: string) {
  const { subcommands = {} } = program
  return Object.hasOwn(subcommands, name) ? (subcommands[name] ?? null) : null
}

function earlyFlag(program: Program | undefined, word: KnownWord, spelled: boolean): string | null {
  if (spelled || program?.flags?.get(word.text)?.value === 'none') return null
  return `has the option ${word.text} before its command`
}

/** Reads words as options and operands, as the usual library does, without abbreviations. */
class Operands {
  readonly operands: { readonly text: string; readonly index: number }[] = []
  /** values of flags that name files */
  readonly values: string[] = []
  readonly #flags: Flags | null
  readonly #spelled: number
  readonly #wordFlags: boolean
  #wants: FlagMeaning | null = null
  #ended = false

  constructor(own: Flags | null, spelled: number, wordFlags: boolean) {
    this.#flags = own
    this.#spelled = spelled
    this.#wordFlags = wordFlags
  }

  /** Takes the next word; why it is refused, or `null`. */
  take(word: KnownWord, index: number): string | null {
    const { text } = word
    if (this.#wants !== null) {
      if (this.#wants.path) this.values.push(text)
      this.#wants = null
      return null
    }
    const isFlag = text.length > 1 && text.startsWith('-') && !this.#ended
    if (!isFlag) {
      this.operands.push({ text, index })
      return null
    }
    if (text === '--' && this.#flags !== null && !this.#wordFlags) {
      this.#ended = true
      return null
    }
    const known = this.#flag(text)
    if (known || index < this.#spelled) return null
    return `has the option ${text}, which is not known to be harmless`
  }

  #flag(text: string): boolean {
    const flags = this.#flags
    if (flags === null) return false
    if (this.#wordFlags) return this.#meets(flags.get(text), null)
    if (text.startsWith('--')) {
      const equals = text.indexOf('=')
      if (equals < 0) return this.#meets(flags.get(text), null)
      return this.#meets(flags.get(text.slice(0, equals)), text.slice(equals + 1))
    }
    if (flags.has('-#') && /^-\d+$/.test(text)) return true
    return this.#cluster(flags, text)
  }

  /** A flag with what was glued to it; `null`: nothing, so that a needed value is the next word. */
  #meets(meaning: FlagMeaning | undefined, value: string | null): boolean {
    if (meaning === undefined) return false
    if (value === null) {
      if (meaning.value === 'needed') this.#wants = meaning
      return true
    }
    if (meaning.value === 'none') return false
    if (meaning.path) this.values.push(value)
    return true
  }

  /** `-la`, `-n5`: letters one by one, until one has a value. */
  #cluster(flags: Flags, text: string): boolean {
    const whole = flags.get(text)
    if (whole !== undefined) return this.#meets(whole, null)
    for (let at = 1; at < text.length; at += 1) {
      const meaning = flags.get(`-${text[at] ?? ''}`)
      if (meaning === undefined) return false
      if (meaning.value === 'none') continue
      const rest = text.slice(at + 1)
      return this.#meets(meaning, rest === '' ? null : rest)
    }
    return true
  }
}
