import { programNamed } from '../programs/registry.ts'
import { couldBe, programName, type Spelling } from '../spelling/spelling.ts'

/** A rule's pattern as asks and blocks read it: a program, operands in order, and flags anywhere behind it. */
export interface TokenPattern {
  readonly tokens: readonly string[]
  readonly name: string
  readonly operands: readonly string[]
  readonly flags: readonly Flag[]
  /** global options of the program that take no value */
  readonly plain: ReadonlySet<string>
}

/** One flag in its spellings: `-f`, also in `-xf`, and `--force`, also as `--for` or `--force=1`. */
interface Flag {
  readonly letters: readonly string[]
  readonly words: readonly string[]
}

/** More flags than this in one pattern are not demanded: it matches more. */
const mostFlags = 6

const compiled = new WeakMap<readonly string[], TokenPattern>()

/** Reads a pattern's tokens. Cached by the list itself. */
export function tokenPattern(tokens: readonly string[]): TokenPattern {
  let pattern = compiled.get(tokens)
  if (pattern === undefined) {
    pattern = compile(tokens)
    compiled.set(tokens, pattern)
  }
  return pattern
}

function compile(tokens: readonly string[]): TokenPattern {
  const [first = '', ...rest] = tokens
  const name = programName(first)
  const program = programNamed(name)
  const isFlag = (token: string): boolean => token.length > 1 && token.startsWith('-')
  const flags = rest.filter(isFlag).flatMap((token) => flagsOf(token, program?.wordFlags === true))
  return {
    tokens,
    name,
    operands: rest.filter((token) => !isFlag(token)),
    flags: flags.slice(0, mostFlags).map((token) => spellings(token, program?.sameFlags ?? [])),
    plain: new Set(program?.plainGlobals ?? []),
  }
}

/** `-rf` is `-r` and `-f`, but for programs whose flags are words with one dash. */
function flagsOf(token: string, wordFlags: boolean): readonly string[] {
  if (wordFlags || !/^-[A-Za-z]{2,4}$/.test(token)) return [token]
  return token
    .slice(1)
    .split('')
    .map((letter) => `-${letter}`)
}

function spellings(token: string, same: readonly (readonly string[])[]): Flag {
  const all = same.find((words) => words.includes(token)) ?? [token]
  const isLetter = (word: string): boolean => /^-[^-]$/.test(word)
  return {
    letters: all.filter(isLetter).map((word) => word.slice(1)),
    words: all.filter((word) => !isLetter(word)),
  }
}

/** How much of a pattern the words so far have been. `operands: -1`: not even the program. */
interface State {
  readonly operands: number
  readonly flags: number
  /** the last word was an option, so that the next may be its value */
  readonly afterOption: boolean
}

/**
 * Could the words be a command that the pattern means? The program by the last part of its path; options between the
 * operands are passed over with a value each; flags count in any place and spelling; a word that may vanish may.
 * `anywhere`: the command may also begin at any word behind `from`.
 */
export function couldMatch(
  pattern: TokenPattern,
  words: readonly Spelling[],
  from: number,
  anywhere = false,
): boolean {
  if (!anywhere && !mayBegin(pattern, words[from])) return false
  const all = (1 << pattern.flags.length) - 1
  const start: State = { operands: -1, flags: 0, afterOption: false }
  let states: readonly State[] = [start]
  for (let index = from; index < words.length; index += 1) {
    const word = words[index]
    if (word === undefined) return false
    const next = new Map<number, State>(anywhere ? [[keyOf(start), start]] : [])
    for (const state of states) {
      for (const reached of statesAfter(pattern, state, word)) next.set(keyOf(reached), reached)
    }
    states = [...next.values()]
    if (states.some((state) => state.operands === pattern.operands.length && state.flags === all)) {
      return true
    }
    if (states.length === 0) return false
  }
  return false
}

/** Most words begin no command of a pattern; that is seen without a walk. */
function mayBegin(pattern: TokenPattern, word: Spelling | undefined): boolean {
  if (word === undefined || word.open) return word !== undefined
  return word.ways.some(
    ([field]) => field === undefined || couldBe(programName(field), pattern.name),
  )
}

function keyOf(state: State): number {
  return (state.operands + 1) * 256 + state.flags * 2 + (state.afterOption ? 1 : 0)
}

function statesAfter(pattern: TokenPattern, state: State, word: Spelling): readonly State[] {
  const reached = word.ways.flatMap((fields) => {
    let states: readonly State[] = [state]
    for (const field of fields) states = states.flatMap((one) => step(pattern, one, field))
    return states
  })
  if (!word.open) return reached
  return [...reached, state, ...(state.operands < 0 ? [] : [{ ...state, afterOption: true }])]
}

function step(pattern: TokenPattern, state: State, field: string): readonly State[] {
  if (state.operands < 0) {
    return couldBe(programName(field), pattern.name) ? [{ ...state, operands: 0 }] : []
  }
  if (field.startsWith('-')) {
    const flags = state.flags | flagsIn(pattern, field)
    return [{ ...state, flags, afterOption: !pattern.plain.has(field) }]
  }
  const wanted = pattern.operands[state.operands]
  if (wanted === undefined) return [{ ...state, afterOption: false }]
  const reached: State[] = []
  if (couldBe(field, wanted)) {
    reached.push({ ...state, operands: state.operands + 1, afterOption: false })
  }
  if (state.afterOption) reached.push({ ...state, afterOption: false })
  return reached
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
