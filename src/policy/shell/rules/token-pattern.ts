import { programNamed } from '../programs/registry.ts'
import { programName } from '../spelling/spelling.ts'

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
export interface Flag {
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
