import { parse } from 'unbash'
import type { Command, CommandExpansionPart, ParameterExpansionPart, Word, WordPart } from 'unbash'
import type { Effort } from './effort.ts'
import { expandBraces, mostWords } from './expand-braces.ts'
import { anyCharacter, anyText, type Spelling } from './spelling.ts'

/** The texts that a script itself gives a variable, by its name, and what reading words with them is charged to. */
export interface KnownValues {
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly effort: Effort
}

/** More ways than this to put the parts of one word together are not listed: the word is open. */
const mostWays = 32
/** A part that can be many texts, alone in its word. */
const mostAlone = 256
/** Where an unquoted expansion is split into fields. */
const split = '\u{f0003}'

/** What a piece of a word may become. Vanishing (`''`) is one of the texts where it can. */
interface Piece {
  readonly texts: readonly string[]
  readonly open: boolean
  readonly quoted: boolean
}

/**
 * What a word may become: one spelling for each word that its braces make, in a shell that knows them. Quotes, escapes and `$'…'` are read, an
 * expansion may vanish, be its default, or be what the script itself assigns.
 */
export function spellWord(word: Word, known: KnownValues): readonly Spelling[] {
  if (word.parts === undefined && !word.text.includes('{')) {
    return known.effort.spend(1) ? [{ ways: [[word.value]], open: false }] : unread
  }
  const texts = expandBraces(word.text, known.effort)
  if (known.effort.isSpent) return unread
  const spelled = texts.slice(0, mostWords).map((text) => {
    const one = text === word.text ? word : wordOf(text, known.effort)
    if (one === null) return { ways: text === '' ? [[]] : [[text]], open: text !== '' }
    return spellOne(one, known)
  })
  if (texts.length === 1) return spelled
  // A shell without braces takes the word for the one that it looks like.
  const either = spelled.map(({ ways, open }, index) => ({
    ways: [...ways, index === 0 ? [word.value] : []],
    open,
  }))
  return texts.length > mostWords ? [...either, { ways: [[]], open: true }] : either
}

/** A word that there was no effort left to read. */
const unread: readonly Spelling[] = [{ ways: [[]], open: true }]

/** Reads a text as one word once more; `null` when it is none, or more than one. */
function wordOf(text: string, effort: Effort): Word | null {
  if (text === '' || !effort.spend(8 + text.length / 4)) return null
  const statement = parse(`_ ${text}`).commands[0]?.command
  if (statement?.type !== 'Command' || statement.suffix.length !== 1) return null
  const [word] = statement.suffix
  return word?.type === 'Word' ? word : null
}

function spellOne(word: Word, known: KnownValues): Spelling {
  const parts = word.parts
  if (parts === undefined) return { ways: [[word.value]], open: false }
  const whole = joined(
    parts.map((part) => pieceOf(part, known, false)),
    known.effort,
    false,
  )
  const quoted = parts.some((part) => part.type.endsWith('Quoted') || part.type === 'LocaleString')
  const ways = whole.texts.map((text) => {
    const fields = text.split(split).filter((field) => field !== '')
    return fields.length === 0 && quoted ? [''] : fields
  })
  return { ways, open: whole.open }
}

function pieceOf(part: WordPart, known: KnownValues, quoted: boolean): Piece {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { texts: [part.value], open: false, quoted: true }
    case 'DoubleQuoted':
    case 'LocaleString':
      return joined(
        part.parts.map((child) => pieceOf(child, known, true)),
        known.effort,
        true,
      )
    case 'Glob':
      return {
        texts: [part.kind === 'star' ? anyText : anyCharacter],
        open: false,
        quoted: true,
      }
    case 'ExtendedGlob':
      return { texts: [anyText], open: false, quoted: true }
    case 'BraceExpansion':
      return { texts: [part.text], open: false, quoted: true }
    case 'SimpleExpansion':
      return expansion(
        known,
        known.values.get(part.text.slice(1)) ?? [],
        quoted && part.text !== '$@',
      )
    case 'ParameterExpansion':
      return expansion(
        known,
        valuesOf(part, known),
        quoted && part.parameter !== '@' && part.index === undefined,
      )
    case 'CommandExpansion':
      return expansion(known, echoed(part), quoted)
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return expansion(known, [], quoted)
  }
}

function expansion(known: KnownValues, values: readonly string[], quoted: boolean): Piece {
  known.effort.spend(2 * values.length)
  const texts = quoted ? values : values.map((value) => value.replace(/[ \t\n]+/g, split))
  return { texts: [...new Set([...texts, ''])], open: true, quoted }
}

function valuesOf(part: ParameterExpansionPart, known: KnownValues): readonly string[] {
  const values = known.values.get(part.parameter) ?? []
  const { operation } = part
  if (operation === undefined) return values
  const words: readonly (Word | undefined)[] =
    operation.type === 'Default'
      ? [operation.operand]
      : operation.type === 'Replace'
        ? [operation.replacement]
        : []
  const others = words.flatMap((word) =>
    word === undefined ? [] : spellWord(word, known).flatMap(textsOf),
  )
  return [...others, ...values]
}

/** The texts of a spelling, its fields put together again. */
export function textsOf(spelling: Spelling): readonly string[] {
  return spelling.ways.map((fields) => fields.join(' '))
}

/** What `$(echo git)` and `$(printf %s git)` say, for these are the short ways to hide a name. */
function echoed(part: CommandExpansionPart): readonly string[] {
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

/** Every way to put pieces together, up to a bound; over it the whole is open. */
function joined(pieces: readonly Piece[], effort: Effort, quoted: boolean): Piece {
  let texts: readonly string[] = ['']
  let open = pieces.some((piece) => piece.open)
  for (const piece of pieces) {
    if (!effort.spend(texts.length * piece.texts.length)) return { texts: [''], open: true, quoted }
    const next = texts.flatMap((before) => piece.texts.map((text) => before + text))
    const most = texts.length === 1 ? mostAlone : mostWays
    if (next.length > most) open = true
    // All values, and all vanished, are the first and the last way.
    texts = next.length > most ? [...next.slice(0, most - 1), ...next.slice(-1)] : next
  }
  return { texts, open, quoted }
}
