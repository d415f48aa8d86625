import { someCommandMatches } from '../../shell/rules/first-match.ts'
import { couldMatch } from '../../shell/rules/could-match.ts'
import { tokenPattern } from '../../shell/rules/token-pattern.ts'
import type { CommandAnalysis } from '../../shell/analyse-command.ts'

/**
 * The traits of a command for `when.command` of overlays and routing. A pattern is written as in a
 * shell rule.
 */
export interface CommandTraits {
  /** whether some command of the text could match the pattern; over-matches */
  someIs(pattern: string): boolean
  /**
   * whether the text is understood, and one of the patterns matches every command of it, or spells
   * the text out
   */
  allAre(patterns: readonly string[]): boolean
}

export function commandTraits(analysis: CommandAnalysis): CommandTraits {
  return {
    someIs: (pattern) => someCommandMatches(tokensOf(pattern), analysis.search),
    allAre: (patterns) =>
      analysis.doubts.length === 0 &&
      (patterns.some((pattern) => spellsOut(tokensOf(pattern), analysis)) ||
        analysis.search.commands.every(
          ({ words, inner, isLinked }) =>
            isLinked === true ||
            (inner.length === 0 &&
              patterns.some((pattern) => couldMatch(tokenPattern(tokensOf(pattern)), words, 0))),
        )),
  }
}

/** `sh run.sh`: the author of the pattern named the file too, so its contents are covered. */
function spellsOut(tokens: readonly string[], { parts }: CommandAnalysis): boolean {
  const [part, ...others] = parts
  if (others.length > 0 || part?.kind !== 'command' || part.redirects.length > 0) return false
  const { words } = part
  return words.length === tokens.length && words.every(({ text }, at) => text === tokens[at])
}

const split = new Map<string, readonly string[]>()

/** A pattern's words, the same list each time, since compiled forms are cached by list. */
export function tokensOf(pattern: string): readonly string[] {
  let tokens = split.get(pattern)
  if (tokens === undefined) {
    tokens = pattern.trim().split(/\s+/)
    if (split.size > 5000) split.clear()
    split.set(pattern, tokens)
  }
  return tokens
}
