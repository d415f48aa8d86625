import { someCommandMatches } from '../../shell/rules/first-match.ts'
import { couldMatch } from '../../shell/rules/could-match.ts'
import { tokenPattern } from '../../shell/rules/token-pattern.ts'
import type { CommandAnalysis } from '../../shell/analyse-command.ts'

/**
 * What `when.command` of overlays and routing looks at. A pattern is written as in a shell rule.
 */
export interface CommandTraits {
  /** could some command of the text be the pattern's? Over-matches */
  someIs(pattern: string): boolean
  /**
   * is the text understood, and every command of it one of the patterns', or spelled out by one
   * word for word?
   */
  allAre(patterns: readonly string[]): boolean
}

/** The traits of an analysed command. */
export function commandTraits(analysis: CommandAnalysis): CommandTraits {
  return {
    someIs: (pattern) => someCommandMatches(tokensOf(pattern), analysis.search),
    allAre: (patterns) =>
      analysis.doubts.length === 0 &&
      (patterns.some((pattern) => spellsOut(tokensOf(pattern), analysis)) ||
        analysis.search.commands.every(
          ({ words, inner }) =>
            inner.length === 0 &&
            patterns.some((pattern) => couldMatch(tokenPattern(tokensOf(pattern)), words, 0)),
        )),
  }
}

/**
 * `sh run.sh`: whoever wrote the pattern named the file too, so that what the file holds is no part
 * it does not speak of.
 */
function spellsOut(tokens: readonly string[], { parts }: CommandAnalysis): boolean {
  const [part, ...others] = parts
  if (others.length > 0 || part?.kind !== 'command' || part.redirects.length > 0) return false
  const { words } = part
  return words.length === tokens.length && words.every(({ text }, at) => text === tokens[at])
}

const split = new Map<string, readonly string[]>()

/**
 * A pattern's words: one list for one pattern, since what is compiled of it is kept by the list.
 */
export function tokensOf(pattern: string): readonly string[] {
  let tokens = split.get(pattern)
  if (tokens === undefined) {
    tokens = pattern.trim().split(/\s+/)
    if (split.size > 5000) split.clear()
    split.set(pattern, tokens)
  }
  return tokens
}
