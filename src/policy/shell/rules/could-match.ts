import type { Effort } from '../spelling/effort.ts'
import { couldBe, patternMatches, type Spelling } from '../spelling/spelling.ts'
import { heldWords, readWord, type ReadField, type ReadWord } from './read-word.ts'
import type { Flag, TokenPattern } from './token-pattern.ts'

/** How words are held against a pattern. */
export interface Matching {
  /** the command may also begin at any word behind `from` */
  readonly anywhere?: boolean
  /** a word that might become something else may become what the pattern wants */
  readonly openIsAny?: boolean
  /** charged for every step; nothing matches any more once it is spent */
  readonly effort?: Effort
}

/**
 * Could the words be a command that the pattern means? The program by the last part of its path; options between the
 * operands are passed over with a value each; flags count in any place and spelling; a word that may vanish may.
 */
export function couldMatch(
  pattern: TokenPattern,
  words: readonly Spelling[],
  from: number,
  { anywhere = false, openIsAny = false, effort }: Matching = {},
): boolean {
  if (!anywhere && !mayBegin(pattern, words[from])) return false
  const done = stateOf(pattern.operands.length, (1 << pattern.flags.length) - 1, false)
  let states: readonly number[] = [begin]
  for (let index = from; index < words.length; index += 1) {
    const spelling = words[index]
    if (spelling === undefined) return false
    const word = readWord(spelling)
    const next: number[] = anywhere ? [begin] : []
    if (effort?.spend(states.length * word.ways.length) === false) return false
    if (openIsAny && word.open) return true
    effort?.spend((states.length * word.unclearLength) / 4)
    for (const state of states) advance(pattern, state, word, next)
    if (next.some((state) => state >> 1 === done >> 1)) return true
    if (next.length === 0) return false
    states = next
  }
  return false
}

/** Is everything there that the pattern wants, wherever it stands? Most patterns are seen not to match by this alone. */
export function mayMatch(
  pattern: TokenPattern,
  words: readonly Spelling[],
  effort?: Effort,
): boolean {
  const { texts, names, options, isUnclear, isOpen } = heldWords(words, effort)
  if (isUnclear) return true
  if (!isOpen && !names.has(pattern.name)) return false
  return (
    pattern.operands.every((operand) => texts.has(operand)) &&
    pattern.flags.every((flag) => options.some((option) => holds(flag, option)))
  )
}

/** Most words begin no command of a pattern; that is seen without a walk. */
function mayBegin(pattern: TokenPattern, spelling: Spelling | undefined): boolean {
  if (spelling === undefined || spelling.open) return spelling !== undefined
  return readWord(spelling).ways.some(
    ([field]) => field === undefined || namesProgram(field, pattern),
  )
}

/**
 * How much of a pattern the words so far have been, as one number: operands (none: not even the program), a bit for each
 * flag, and whether the last word was an option, so that the next may be its value.
 */
function stateOf(operands: number, flags: number, afterOption: boolean): number {
  return ((operands + 1) << 8) | (flags << 1) | (afterOption ? 1 : 0)
}

const begin = stateOf(-1, 0, false)

function advance(pattern: TokenPattern, state: number, word: ReadWord, next: number[]): void {
  for (const fields of word.ways) {
    const [first, ...more] = fields
    if (first === undefined) add(next, state)
    else if (more.length === 0) step(pattern, state, first, next)
    else {
      let states: number[] = [state]
      for (const field of fields) {
        const reached: number[] = []
        for (const one of states) step(pattern, one, field, reached)
        states = reached
      }
      for (const one of states) add(next, one)
    }
  }
  if (!word.open) return
  add(next, state)
  if (state !== begin) add(next, state | 1)
}

function step(pattern: TokenPattern, state: number, field: ReadField, next: number[]): void {
  if (state === begin) {
    if (namesProgram(field, pattern)) add(next, stateOf(0, 0, false))
    return
  }
  if (field.isOption) {
    const flagged = state | (flagsIn(pattern, field.text) << 1)
    add(next, pattern.plain.has(field.text) ? flagged & ~1 : flagged | 1)
    return
  }
  const wanted = pattern.operands[(state >> 8) - 1]
  if (wanted === undefined) {
    add(next, state & ~1)
    return
  }
  if (
    field.text === wanted ||
    (field.unclear !== null && patternMatches(field.unclear.text, wanted))
  ) {
    add(next, (state + 256) & ~1)
  }
  if ((state & 1) === 1) add(next, state & ~1)
}

function add(states: number[], state: number): void {
  if (!states.includes(state)) states.push(state)
}

function namesProgram(field: ReadField, pattern: TokenPattern): boolean {
  return (
    field.name === pattern.name ||
    (field.unclear !== null && patternMatches(field.unclear.name, pattern.name))
  )
}

function flagsIn(pattern: TokenPattern, field: string): number {
  let found = 0
  for (const [index, flag] of pattern.flags.entries()) {
    if (holds(flag, field)) found |= 1 << index
  }
  return found
}

function holds(flag: Flag, field: string): boolean {
  const name = field.split('=', 1)[0] ?? field
  if (field.startsWith('--')) {
    return flag.words.some(
      (word) => couldBe(name, word) || (name.length > 3 && word.startsWith(name)),
    )
  }
  return (
    flag.words.some((word) => couldBe(name, word)) ||
    flag.letters.some((letter) => field.slice(1).includes(letter))
  )
}
