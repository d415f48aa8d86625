import type { CommandAnalysis } from '../analyse-command.ts'
import { matchingEffort, someCommandMatches } from './first-match.ts'

/**
 * Why a text does not say whether it runs what one of these patterns blocks, as the end of a sentence; `null` when it says
 * all that it runs. Over-matches: a text that is put together when it runs, code that is not read, a file that it may write
 * and run, or a word that could yet make a command of it the pattern's.
 */
export function whyUnread(
  patterns: readonly (readonly string[])[],
  { search, whole }: CommandAnalysis,
): string | null {
  const [computed] = search.computed
  if (!whole) return 'it cannot be read as a whole'
  if (computed !== undefined) return computed
  const effort = matchingEffort()
  const matching = { openIsAny: true, effort }
  const met = patterns.find((pattern) => someCommandMatches(pattern, search, matching))
  if (met !== undefined) return `it may become "${met.join(' ')}", which is blocked`
  return effort.isSpent ? 'it could mean too many things to look through' : null
}
