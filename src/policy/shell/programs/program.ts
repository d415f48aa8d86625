import { countWords } from '#domain/text/quantities/count-words.ts'

/**
 * Facts about a program, or about several with the same flags: one entry of a table that
 * registry.ts joins. A rule can pre-approve a program without an entry only with the operands that
 * the rule spells out; any other operand and any flag asks.
 */
export interface Program {
  readonly names: readonly string[]
  /**
   * what it runs from its arguments: another `command` (wrappers), a `script` of a shell (also from
   * its input), or `code` of a language; asks and blocks apply to these
   */
  readonly runs?: 'command' | 'script' | 'code'
  /** the command that it runs also gets words from its input */
  readonly takesInputWords?: boolean
  /** why it is never pre-approved, as the end of the sentence "NAME …" */
  readonly neverReason?: string
  /** it is pre-approved only if the rule spells out this many operands, or all of them */
  readonly spellOut?: number | 'all'
  /** which of its operands are names of files that it reads; absent: not known */
  readonly reads?: ReadOperands
  /** its options, before the command that it wraps, which must be pre-approved itself */
  readonly wraps?: Flags
  /** number of operands of its own before that command */
  readonly wrapsAfter?: number
  /** harmless flags; any other asks. `null`: there is no list, and any flag asks */
  readonly flags: Flags | null
  /** the words with a dash that are flags, where others are printed or compared literally */
  readonly isFlag?: RegExp
  /**
   * a rule that spells out only a part of such a command usually allows more than its author
   * expects: `check` warns
   */
  readonly allowsMore?: boolean
  /** flags are words with one dash, like those of `find` */
  readonly wordFlags?: boolean
  /** why operands are refused, as a sentence; `null`: they are not */
  readonly operands?: (operands: readonly string[]) => string | null
  /**
   * why words after the name are refused, as a sentence; the rule spells out the first
   * `spelledCount` of them
   */
  readonly refuses?: (words: readonly string[], spelledCount: number) => string | null
  /** the flags of each subcommand; other subcommands ask */
  readonly subcommands?: Readonly<Record<string, Subcommand>>
  /** global options without a value, so that the next word is not one */
  readonly plainGlobals?: readonly string[]
  /** flags with the same meaning */
  readonly sameFlags?: readonly (readonly string[])[]
  /** words which make its other arguments commands or texts that it runs */
  readonly runsWith?: readonly string[]
  /** a word after which its other words are a command, such as a subcommand or an option */
  readonly runsAfter?: RegExp
  /** an argument with a script that it runs, which itself defines the delimiters of a command */
  readonly runsText?: RegExp
  /**
   * an option whose value, in the same word or the next, is a command that it runs; by subcommand,
   * if the same option has other meanings
   */
  readonly runsOption?: RegExp | Readonly<Record<string, RegExp>>
  /** subcommands whose operands are its own subcommand and operands again */
  readonly runsItself?: readonly string[]
  /** whether it runs code from its arguments, in a language that is not analysed */
  readonly hidesCode?: (words: readonly string[]) => boolean
  /** it runs a script from its input, unless an argument says otherwise */
  readonly readsScript?: boolean
  /** finds the words that an argument defines as an alias */
  readonly aliases?: RegExp
  /** it reads or changes its working folder, even when its operands name other paths */
  readonly readsFolder?: boolean
  /** without an operand it reads its standard input, and nothing in its working folder */
  readonly readsInput?: boolean
  /** where no operand is a file, it reads its working folder: always, or with one of these flags */
  readonly searchesFolder?: true | readonly string[]
  /** it puts files or folders at names that its operands choose */
  readonly placesFiles?: true
  /** files in a folder that can make it run other programs, judged by their text */
  readonly folderRuns?: FolderSettings
  /** the words of a pre-approved call, without helpers; `arguments_` follow the name */
  readonly safeArguments?: (arguments_: readonly string[]) => SafeArguments
}

export interface ReadOperands {
  /** the index of the first; `1` after a pattern or a script */
  readonly from: number
  /** the index after the last, where it writes to a further one */
  readonly to?: number
  /** the last one is where it writes */
  readonly butLast?: true
  /** flags that are the pattern or the script, so that every operand is a file */
  readonly allWith?: readonly string[]
  /** flags with which nothing is known of its operands */
  readonly unclearWith?: readonly string[]
  /** a script, its first operand, that reads no file */
  readonly idle?: RegExp
  /** options without a value, where `flags` lists none; any other makes the operands unknown */
  readonly options?: RegExp
}

export interface Subcommand {
  readonly flags: Flags | null
  /** it changes files or references: a rule that does not name it should not allow it */
  readonly writes?: true
  /** as for the program, with the subcommand among the operands */
  readonly spellOut?: 'all'
  /** as for the program, for the operands after the subcommand */
  readonly operands?: (operands: readonly string[]) => string | null
  /** as for the program, with the subcommand among the words */
  readonly refuses?: (words: readonly string[], spelledCount: number) => string | null
}

/** Words to insert before the arguments, and after the first `after` of them. */
export interface SafeArguments {
  readonly leading: readonly string[]
  readonly insertAt: number
  readonly inserted: readonly string[]
}

export interface FolderSettings {
  /** the folder that contains the settings, searched upwards, and the file in it */
  readonly marker: string
  readonly file: string
  refuses(text: string): string | null
  /** a file that must not exist, since it makes other settings effective */
  readonly without: string
  /** whether these words, after its name, make it run in repositories within that of the folder */
  entersNested(words: readonly string[]): boolean
}

export interface FlagMeaning {
  readonly value: 'none' | 'needed' | 'optional'
  /** the value names a file */
  readonly path: boolean
}

/** `-#` means a number such as `-5`. */
export type Flags = ReadonlyMap<string, FlagMeaning>

/**
 * Parses a list of flags: `-n`, `--color?` (optional value after `=`), `-m=` and `--max=` (with a
 * value), `-f=path` (with a file name), `-#` (a number). Throws for a word that is not a flag, such
 * as half of one that was broken at the end of a line.
 */
export function flags(...lists: readonly string[]): Flags {
  const entries = lists
    .flatMap((list) => list.split(/\s+/))
    .filter((word) => word !== '')
    .map((word) => {
      const [, name = '', mark = ''] = /^(-[^=?]*[^=?-])(\?|=path|=)?$/.exec(word) ?? []
      if (name === '') throw new Error(`${word} in a list of flags is not a flag`)
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
 * Operands that the rule does not spell out are allowed only with one of some flags: a subcommand
 * that lists with such a flag and creates without.
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
