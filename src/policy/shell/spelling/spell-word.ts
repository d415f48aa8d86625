import {
  parse,
  type Command,
  type CommandExpansionPart,
  type ParameterExpansionPart,
  type Word,
  type WordPart,
} from 'unbash'
import type { Budget } from './budget.ts'
import { expandBraces, maxWords } from './expand-braces.ts'
import { anyCharacter, anyText, type Spelling, exactly } from './spelling.ts'

/** The texts that a script assigns to variables, and the budget for reading words. */
export interface KnownValues {
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly budget: Budget
}

/** A word whose parts combine to more texts than this is open. */
const maxSpellings = 32
/** The bound for a part that is alone in its word. */
const maxSpellingsOfOneText = 256
/** How many characters of joined texts cost one step: a value may repeat the value of another. */
const charactersOfStep = 32
/** The place where an unquoted expansion is split into fields. */
const fieldSeparator = '\u{f0003}'

/** The texts that a part of a word may become. A part that may vanish has `''` among them. */
interface Fragment {
  readonly texts: readonly string[]
  readonly isOpen: boolean
}

/**
 * The words that a word may become: one spelling for each word that its braces make. Quotes,
 * escapes and `$'…'` are read; an expansion may vanish, be its default, or be a value that the
 * script assigns.
 */
export function spellWord(word: Word, knownValues: KnownValues): readonly Spelling[] {
  if (word.parts === undefined && !word.text.includes('{')) {
    return knownValues.budget.spend(1)
      ? [{ alternatives: [[word.value]], isOpen: false }]
      : unreadable
  }
  const texts = expandBraces(word.text, knownValues.budget)
  if (knownValues.budget.isSpent) return unreadable
  const spelled = texts.slice(0, maxWords).map((text) => {
    const sourceWord = text === word.text ? word : wordOf(text, knownValues.budget)
    if (sourceWord === null)
      return { alternatives: text === '' ? [[]] : [[text]], isOpen: text !== '' }
    return spellOne(sourceWord, knownValues)
  })
  if (texts.length === 1) return spelled
  // A shell without brace expansion reads the word literally.
  const anyShell = spelled.map(({ alternatives, isOpen }, index) => ({
    alternatives: [...alternatives, index === 0 ? [word.value] : []],
    isOpen,
  }))
  return texts.length > maxWords ? [...anyShell, { alternatives: [[]], isOpen: true }] : anyShell
}

/** The spelling of a word when the budget is used up. */
const unreadable: readonly Spelling[] = [{ alternatives: [[]], isOpen: true }]

/** Parses a text again as one word; `null` when it is not exactly one. */
function wordOf(text: string, budget: Budget): Word | null {
  if (text === '' || !budget.spend(8 + text.length / 4)) return null
  const statement = parse(`_ ${text}`).commands[0]?.command
  if (statement?.type !== 'Command' || statement.suffix.length !== 1) return null
  const [word] = statement.suffix
  return word?.type === 'Word' ? word : null
}

function spellOne(word: Word, knownValues: KnownValues): Spelling {
  const parts = word.parts
  if (parts === undefined) return { alternatives: [[word.value]], isOpen: false }
  const joinedWord = joinFragments(
    parts.map((part) => fragmentOf(part, knownValues, false)),
    knownValues.budget,
  )
  const quoted = parts.some((part) => part.type.endsWith('Quoted') || part.type === 'LocaleString')
  const alternatives = joinedWord.texts.map((text) => {
    const fields = text.split(fieldSeparator).filter((field) => field !== '')
    if (fields.length > 1) knownValues.budget.spend(fields.length / 8)
    return fields.length === 0 && quoted ? [''] : fields
  })
  return { alternatives, isOpen: joinedWord.isOpen }
}

function fragmentOf(part: WordPart, knownValues: KnownValues, quoted: boolean): Fragment {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { texts: [part.value], isOpen: false }
    case 'DoubleQuoted':
    case 'LocaleString':
      return joinFragments(
        part.parts.map((child) => fragmentOf(child, knownValues, true)),
        knownValues.budget,
      )
    case 'Glob':
      return {
        texts: [part.kind === 'star' ? anyText : anyCharacter],
        isOpen: false,
      }
    case 'ExtendedGlob':
      return { texts: [anyText], isOpen: false }
    case 'BraceExpansion':
      return { texts: [part.text], isOpen: false }
    case 'SimpleExpansion':
      return expansion(
        knownValues,
        knownValues.values.get(part.text.slice(1)) ?? [],
        quoted && part.text !== '$@',
      )
    case 'ParameterExpansion':
      return expansion(
        knownValues,
        valuesOf(part, knownValues),
        quoted && part.parameter !== '@' && part.index === undefined,
      )
    case 'CommandExpansion':
      return expansion(knownValues, wordsOfEcho(part), quoted)
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return expansion(knownValues, [], quoted)
  }
}

function expansion(knownValues: KnownValues, values: readonly string[], quoted: boolean): Fragment {
  knownValues.budget.spend(2 * values.length)
  const texts = quoted ? values : values.map((value) => value.replace(/[ \t\n]+/g, fieldSeparator))
  return { texts: [...new Set([...texts, ''])], isOpen: true }
}

function valuesOf(part: ParameterExpansionPart, knownValues: KnownValues): readonly string[] {
  const values = knownValues.values.get(part.parameter) ?? []
  const { operation } = part
  if (operation === undefined) return values
  const words: readonly (Word | undefined)[] =
    operation.type === 'Default'
      ? [operation.operand]
      : operation.type === 'Replace'
        ? [operation.replacement]
        : []
  const operandTexts = words.flatMap((word) =>
    word === undefined ? [] : spellWord(word, knownValues).flatMap(textsOf),
  )
  return [...operandTexts, ...values]
}

/** The texts of a spelling, with its fields joined. */
export function textsOf(spelling: Spelling): readonly string[] {
  return spelling.alternatives.map((fields) => fields.join(' '))
}

/** The output of `$(echo git)` and `$(printf %s git)`, which are short ways to hide a name. */
function wordsOfEcho(part: CommandExpansionPart): readonly string[] {
  const commands = part.script?.commands ?? []
  return commands.flatMap(({ command }) => {
    if (command.type !== 'Command') return []
    const name = command.name?.value ?? ''
    if (name !== 'echo' && name !== 'printf') return []
    const words = argumentTexts(command)
    return [words.join(' '), words.slice(1).join(' '), words.slice(1).join('')]
  })
}

function argumentTexts(command: Command): readonly string[] {
  return command.args.flatMap((argument) => (argument.type === 'Word' ? [argument.value] : []))
}

/** Every combination of the fragments, up to a bound; beyond it the result is open. */
function joinFragments(fragments: readonly Fragment[], budget: Budget): Fragment {
  let texts: readonly string[] = ['']
  let isOpen = fragments.some((fragment) => fragment.isOpen)
  for (const fragment of fragments) {
    if (!budget.spend(texts.length * fragment.texts.length)) return { texts: [''], isOpen: true }
    const next = texts.flatMap((before) => fragment.texts.map((text) => before + text))
    const characters = next.reduce((sum, text) => sum + text.length, 0)
    if (next.length > 1 && !budget.spend(characters / charactersOfStep)) {
      return { texts: [''], isOpen: true }
    }
    const maxTexts = texts.length === 1 ? maxSpellingsOfOneText : maxSpellings
    if (next.length > maxTexts) isOpen = true
    // Keeps the first and the last combination: all values, and all vanished.
    texts = next.length > maxTexts ? [...next.slice(0, maxTexts - 1), ...next.slice(-1)] : next
  }
  return { texts, isOpen }
}

/** `x='git push'` after `alias`, `declare` and similar commands is one word, without its quotes. */
export function spellArgument(
  argument: Command['args'][number],
  knownValues: KnownValues,
): readonly Spelling[] {
  if (argument.type === 'Word') return spellWord(argument, knownValues)
  const { value, text } = argument
  if (value.type !== 'Word') return [exactly(text)]
  const before = text.slice(0, text.indexOf('=') + 1)
  return spellWord(value, knownValues).map(({ alternatives, isOpen }) => ({
    alternatives: alternatives.map((fields) => [before + fields.join(' ')]),
    isOpen,
  }))
}
