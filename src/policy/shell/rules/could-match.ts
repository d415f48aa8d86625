import type { Budget } from '../spelling/budget.ts'
import { couldBe, patternMatches, type Spelling } from '../spelling/spelling.ts'
import { indexWords, parseWord, type ParsedField, type ParsedWord } from './parse-word.ts'
import type { Flag, TokenPattern } from './token-pattern.ts'

/** How words are compared with a pattern. */
export interface MatchOptions {
  /** the command may also begin at any word after `from` */
  readonly anywhere?: boolean
  /** a word that might become something else may become what the pattern needs */
  readonly openIsAny?: boolean
  /** charged for every step; nothing matches once it is used up */
  readonly budget?: Budget
}

/**
 * Whether the words could be a command that the pattern means. The program is compared by the last
 * part of its path. Options between the operands are skipped, with one value each. Flags count in
 * any place and spelling. Words that may vanish may be absent.
 */
export function couldMatch(
  pattern: TokenPattern,
  words: readonly Spelling[],
  from: number,
  { anywhere = false, openIsAny = false, budget }: MatchOptions = {},
): boolean {
  if (!anywhere && !couldBegin(pattern, words[from])) return false
  const endState = stateOf(pattern.operands.length, (1 << pattern.flags.length) - 1, false)
  let states: readonly number[] = [initialState]
  for (let index = from; index < words.length; index += 1) {
    const spelling = words[index]
    if (spelling === undefined) return false
    const word = parseWord(spelling)
    const next: number[] = anywhere ? [initialState] : []
    if (budget?.spend(states.length * word.size) === false) return false
    if (openIsAny && word.isOpen) return true
    budget?.spend((states.length * word.unclearLength) / 4)
    for (const state of states) advance(pattern, state, word, next)
    if (next.some((state) => state >> 1 === endState >> 1)) return true
    if (next.length === 0) return false
    states = next
  }
  return false
}

/** Whether the words contain all tokens of the pattern, in any order: a fast first test. */
export function hasAllTokens(
  pattern: TokenPattern,
  words: readonly Spelling[],
  budget?: Budget,
): boolean {
  const { texts, names, options, isUnclear, isOpen } = indexWords(words, budget)
  if (isUnclear) return true
  if (!isOpen && !names.has(pattern.name)) return false
  return (
    pattern.operands.every((operand) => texts.has(operand)) &&
    pattern.flags.every((flag) => options.some((option) => matchesFlag(flag, option)))
  )
}

/** Whether a word could begin the pattern's command; most words cannot. */
function couldBegin(pattern: TokenPattern, spelling: Spelling | undefined): boolean {
  if (spelling === undefined || spelling.isOpen) return spelling !== undefined
  return parseWord(spelling).alternatives.some(
    ([field]) =>
      field === undefined || namesProgram(field, pattern) || gitCommandOf(field, pattern) !== null,
  )
}

/**
 * The matched part of a pattern as one number: operands (none: not even the program), a bit for
 * each flag, and whether the last word was an option, whose value may be next.
 */
function stateOf(operands: number, flags: number, afterOption: boolean): number {
  return ((operands + 1) << 8) | (flags << 1) | (afterOption ? 1 : 0)
}

const initialState = stateOf(-1, 0, false)
/** The program is matched, and no operand. */
const named = stateOf(0, 0, false)

function advance(pattern: TokenPattern, state: number, word: ParsedWord, next: number[]): void {
  for (const fields of word.alternatives) {
    const [first, ...more] = fields
    if (first === undefined) addState(next, state)
    else if (more.length === 0) step(pattern, state, first, next)
    else {
      let states: number[] = [state]
      for (const field of fields) {
        const reachedStates: number[] = []
        for (const reachedState of states) step(pattern, reachedState, field, reachedStates)
        states = reachedStates
      }
      for (const reachedState of states) addState(next, reachedState)
    }
  }
  if (!word.isOpen) return
  addState(next, state)
  if (state !== initialState) addState(next, state | 1)
}

function step(pattern: TokenPattern, state: number, field: ParsedField, next: number[]): void {
  if (state === initialState) {
    if (namesProgram(field, pattern)) addState(next, named)
    const command = gitCommandOf(field, pattern)
    if (command !== null) step(pattern, named, command, next)
    return
  }
  if (field.isOption) {
    const withFlags = state | (flagsIn(pattern, field.text) << 1)
    addState(next, pattern.valuelessOptions.has(field.text) ? withFlags & ~1 : withFlags | 1)
    return
  }
  const operand = pattern.operands[(state >> 8) - 1]
  if (operand === undefined) {
    addState(next, state & ~1)
    return
  }
  if (state >> 8 === named >> 8 && pattern.runsItself.has(field.text)) addState(next, state & ~1)
  if (
    field.text === operand ||
    (field.alternatePattern !== null && patternMatches(field.alternatePattern.text, operand))
  ) {
    addState(next, (state + 256) & ~1)
  }
  if ((state & 1) === 1) addState(next, state & ~1)
}

function addState(states: number[], state: number): void {
  if (!states.includes(state)) states.push(state)
}

function namesProgram(field: ParsedField, pattern: TokenPattern): boolean {
  return (
    field.names.includes(pattern.name) ||
    (field.alternatePattern !== null && patternMatches(field.alternatePattern.name, pattern.name))
  )
}

/** The operand that `git-push` has for a pattern of Git. */
function gitCommandOf(field: ParsedField, pattern: TokenPattern): ParsedField | null {
  return pattern.name === 'git' ? field.gitCommand : null
}

function flagsIn(pattern: TokenPattern, field: string): number {
  let matchedFlags = 0
  for (const [index, flag] of pattern.flags.entries()) {
    if (matchesFlag(flag, field)) matchedFlags |= 1 << index
  }
  return matchedFlags
}

function matchesFlag(flag: Flag, field: string): boolean {
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
