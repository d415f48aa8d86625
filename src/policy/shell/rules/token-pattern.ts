import { programNamed } from '../programs/registry.ts'
import { programName } from '../spelling/spelling.ts'

/** A rule's pattern: a program, operands in order, and flags anywhere after it. */
export interface TokenPattern {
  readonly tokens: readonly string[]
  readonly name: string
  readonly operands: readonly string[]
  readonly flags: readonly Flag[]
  /** global options of the program that take no value */
  readonly valuelessOptions: ReadonlySet<string>
  /** subcommands of the program that run it again with their operands */
  readonly runsItself: ReadonlySet<string>
}

/** One flag as it may be written: `-f`, also in `-xf`; `--force`, `--for`, `--force=1`. */
export interface Flag {
  readonly letters: readonly string[]
  readonly words: readonly string[]
}

/** More flags than this in one pattern are not required: it then matches more. */
const maxFlags = 6

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
  const [first = '', ...words] = tokens
  const name = programName(first)
  const program = programNamed(name)
  const isFlag = (token: string): boolean => token.length > 1 && token.startsWith('-')
  const flags = words.filter(isFlag).flatMap((token) => flagsOf(token, program?.wordFlags === true))
  return {
    tokens,
    name,
    operands: words.filter((token) => !isFlag(token)),
    flags: flags.slice(0, maxFlags).map((token) => spellings(token, program?.sameFlags ?? [])),
    valuelessOptions: new Set(program?.plainGlobals ?? []),
    runsItself: new Set(program?.runsItself ?? []),
  }
}

/** `-rf` is `-r` and `-f`, except for programs whose flags are words with one dash. */
function flagsOf(token: string, wordFlags: boolean): readonly string[] {
  if (wordFlags || !/^-[A-Za-z]{2,4}$/.test(token)) return [token]
  return token
    .slice(1)
    .split('')
    .map((letter) => `-${letter}`)
}

function spellings(token: string, sameFlags: readonly (readonly string[])[]): Flag {
  const flagNames = sameFlags.find((words) => words.includes(token)) ?? [token]
  const isLetter = (word: string): boolean => /^-[^-]$/.test(word)
  return {
    letters: flagNames.filter(isLetter).map((word) => word.slice(1)),
    words: flagNames.filter((word) => !isLetter(word)),
  }
}

/**
 * Whether `unlessArgs` names an argument. Over-matches, since it prevents a pre-approval: `-o` also
 * as `-oFILE` or in `-xo`, `--output` also as `--output=FILE` or `--outp`, `-exec` also as the
 * beginning of a longer word.
 */
export function isUnlessArgument(argument: string, entry: string): boolean {
  if (argument === entry) return true
  if (!entry.startsWith('-') || entry.length < 2) return argument.startsWith(`${entry}=`)
  if (!argument.startsWith('-')) return false
  if (entry.startsWith('--')) {
    const name = argument.split('=', 1)[0] ?? argument
    return name === entry || (name.length > 2 && name.startsWith('--') && entry.startsWith(name))
  }
  if (entry.length === 2) {
    return !argument.startsWith('--') && argument.includes(entry.slice(1))
  }
  return argument.startsWith(entry)
}
