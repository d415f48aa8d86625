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
 * The rule that blocks a command on any host and with any files; `null` when that depends on more
 * than the rules. Rules that might pre-approve are not evaluated: from the first such rule on,
 * rules count only for commands inside of others.
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
 * Why a text does not show whether it runs a command that one of these patterns blocks, as the end
 * of a sentence; `null`: it shows that. Over-matches: text that is computed when it runs, code in
 * another language, a file that it may write and run, or a word that could become a matching
 * command.
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
