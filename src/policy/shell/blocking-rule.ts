import type { ShellPolicy, ShellRule } from '../policy.ts'
import type { CommandAnalysis } from './analyse-command.ts'
import { firstOver, innerMatches, matchingEffort, scanMatches } from './rules/first-match.ts'

/**
 * A rule that blocks a command whatever its host and its files are, or `null` when that hangs on more than the rules.
 * What a rule before it might pre-approve is not looked into: the rules from the first such one on count for nothing
 * but what a command holds inside.
 */
export function blockingRule(policy: ShellPolicy, { search }: CommandAnalysis): ShellRule | null {
  const { rules } = policy
  const effort = matchingEffort()
  const first = rules.findIndex((rule) => rule.consent.approval === 'preApproved')
  const certain = first === -1 ? rules : rules.slice(0, first)
  const found = search.commands.flatMap((command) => [
    firstOver(certain, command.words, 0, effort),
    ...innerMatches(rules, command, effort),
  ])
  return (
    [...found, ...scanMatches(rules, search, effort)].find(
      (rule) => rule?.consent.approval === 'blocked',
    ) ?? null
  )
}
