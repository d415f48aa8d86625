import type { CommandAnalysis } from './analyse-command.ts'
import {
  matchingBudget,
  someCommandMatches,
  firstRestriction,
  innerRestrictions,
  scannedRestrictions,
} from './rules/first-match.ts'
import type { ShellPolicy, ShellRule } from '../worker-definition.ts'

/**
 * A rule that blocks a command whatever its host and its files are, or `null` when that hangs on
 * more than the rules. What a rule before it might pre-approve is not looked into: the rules from
 * the first such one on count for nothing but what a command holds inside.
 */
export function blockingRule(policy: ShellPolicy, { search }: CommandAnalysis): ShellRule | null {
  const { rules } = policy
  const budget = matchingBudget()
  const firstPreApproval = rules.findIndex((rule) => rule.consent.approval === 'preApproved')
  const leadingRules = firstPreApproval === -1 ? rules : rules.slice(0, firstPreApproval)
  const restrictions = search.commands.flatMap((command) => [
    firstRestriction(leadingRules, command.words, 0, budget),
    ...innerRestrictions(rules, command, budget),
  ])
  return (
    [...restrictions, ...scannedRestrictions(rules, search, budget)].find(
      (rule) => rule?.consent.approval === 'blocked',
    ) ?? null
  )
}

/**
 * Why a text does not say whether it runs what one of these patterns blocks, as the end of a
 * sentence; `null` when it says all that it runs. Over-matches: a text that is put together when it
 * runs, code that is not read, a file that it may write and run, or a word that could yet make a
 * command of it the pattern's.
 */
export function whyUnread(
  patterns: readonly (readonly string[])[],
  { search, isComplete }: CommandAnalysis,
): string | null {
  const [computed] = search.computed
  if (!isComplete) return 'it cannot be read as a whole'
  if (computed !== undefined) return computed
  const budget = matchingBudget()
  const matching = { openIsAny: true, budget }
  const blockedPattern = patterns.find((pattern) => someCommandMatches(pattern, search, matching))
  if (blockedPattern !== undefined)
    return `it may become "${blockedPattern.join(' ')}", which is blocked`
  return budget.isSpent ? 'it could mean too many things to look through' : null
}
