import { countWords } from '#domain/text/counted.ts'

/**
 * What is known of a program, or of several with the same flags: one entry of one of the tables
 * that registry.ts joins. A rule can pre-approve a program without an entry only with the operands
 * that the rule spells out; any other operand and any flag asks.
 */
export interface Program {
  readonly names: readonly string[]
  /**
   * What its arguments make it run: another `command` (wrappers), a `script` of a shell (also from
   * its input), or `code` of a language. Asks and blocks are looked for in there.
   */
  readonly runs?: 'command' | 'script' | 'code'
  /** the command that it runs gets words from its input */
  readonly takesInputWords?: boolean
  /** why it is never pre-approved, as the end of the sentence "NAME …" */
  readonly neverReason?: string
  /** it is pre-approved only where the rule spells out this many operands, or all of them */
  readonly spellOut?: number | 'all'
  /**
   * its options, all of which are understood, end before another command, which must be
   * pre-approved itself
   */
  readonly wraps?: Flags
  /** operands of its own that stand before that command */
  readonly wrapsAfter?: number
  /** flags known to be harmless; any other asks. `null`: not listed, so that any flag asks */
  readonly flags: Flags | null
  /** the words with a dash that are flags, where others are printed or compared as they stand */
  readonly isFlag?: RegExp
  /** a rule for less than the whole command rarely means what it says: `check` points it out */
  readonly allowsMore?: boolean
  /** flags are words with one dash, as those of `find` */
  readonly wordFlags?: boolean
  /** the operands that are refused, as a sentence; `null` when they pass */
  readonly operands?: (operands: readonly string[]) => string | null
  /**
   * the words behind the name that are refused, as a sentence; the rule spells out the first so
   * many of them
   */
  readonly refuses?: (words: readonly string[], spelledCount: number) => string | null
  /** by the first operand: flags of each command of the program; another one asks */
  readonly subcommands?: Readonly<Record<string, Subcommand>>
  /** global options that take no value, so that what follows them is not one */
  readonly plainGlobals?: readonly string[]
  /** flags that mean the same */
  readonly sameFlags?: readonly (readonly string[])[]
  /** words whose presence makes its arguments hold commands or texts that it runs */
  readonly runsWith?: readonly string[]
  /** an argument that holds a script which it runs */
  readonly runsText?: RegExp
  /** whether it runs code from its arguments, in a language that is not read here */
  readonly hidesCode?: (words: readonly string[]) => boolean
  /** it runs what it reads from its input, when no argument says otherwise */
  readonly readsScript?: boolean
  /** finds the words that an argument makes of a name of its own */
  readonly aliases?: RegExp
  /** it works on the folder it stands in, even when operands name others */
  readonly readsFolder?: boolean
  /**
   * files by which a folder can make it run other programs, judged by their text; a sentence when
   * it does
   */
  readonly folderRuns?: FolderSettings
  /**
   * the words that a pre-approved call runs with, helpers switched off; `arguments_` are those
   * behind the name
   */
  readonly safeArguments?: (arguments_: readonly string[]) => SafeArguments
}

export interface Subcommand {
  readonly flags: Flags | null
  /** it changes files or references: a rule that does not name it should not allow it unsaid */
  readonly writes?: true
  /** as of the program, the subcommand among the operands */
  readonly spellOut?: 'all'
  /** as of the program, for the operands behind the subcommand */
  readonly operands?: (operands: readonly string[]) => string | null
  /** as of the program, the subcommand among the words */
  readonly refuses?: (words: readonly string[], spelledCount: number) => string | null
}

/** Words to put before the arguments, and behind the first `after` of them. */
export interface SafeArguments {
  readonly leading: readonly string[]
  readonly insertAt: number
  readonly inserted: readonly string[]
}

export interface FolderSettings {
  /** the folder that marks where the settings lie, looked for upwards, and the file in it */
  readonly marker: string
  readonly file: string
  refuses(text: string): string | null
  /** a file that must not be there: it makes other settings count */
  readonly without: string
}

export interface FlagMeaning {
  readonly value: 'none' | 'needed' | 'optional'
  /** the value names a file */
  readonly path: boolean
}

/** `-#` stands for a number such as `-5`. */
export type Flags = ReadonlyMap<string, FlagMeaning>

/**
 * Reads a list of flags: `-n`, `--color?` (may have a value behind `=`), `-m=` and `--max=` (have
 * one), `-f=path` (a file's name), `-#` (a number). Throws for a word that is no flag, such as half
 * of one that was broken at the end of a line.
 */
export function flags(...lists: readonly string[]): Flags {
  const entries = lists
    .flatMap((list) => list.split(/\s+/))
    .filter((word) => word !== '')
    .map((word) => {
      const [, name = '', mark = ''] = /^(-[^=?]*[^=?-])(\?|=path|=)?$/.exec(word) ?? []
      if (name === '') throw new Error(`${word} in a list of flags is none`)
      const value = mark === '' ? 'none' : mark === '?' ? 'optional' : 'needed'
      return [name, { value, path: mark === '=path' }] as const
    })
  return new Map(entries)
}

/** At most so many operands. */
export function maxOperands(count: number): (operands: readonly string[]) => string | null {
  return (operands) =>
    operands.length > count ? `has more than ${countWords(count, 'operand')}` : null
}

/**
 * Operands that the rule does not spell out only beside one of some flags: a subcommand that lists
 * with it and makes without.
 */
export function onlyWith(
  listing: readonly string[],
  reason: string,
): (words: readonly string[], spelledCount: number) => string | null {
  return (words, spelledCount) => {
    const isListing = words.some((word) => listing.includes(word.split('=', 1)[0] ?? word))
    const creates = words
      .slice(1)
      .some((word, at) => at + 1 >= spelledCount && !word.startsWith('-'))
    return creates && !isListing ? reason : null
  }
}
