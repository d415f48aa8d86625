import { quorumText } from '#domain/deciding/quorum.ts'
import {
  approvalLabels,
  commandRuleText,
  conditionWords,
  routeText,
} from '#domain/text/policy-words.ts'
import type { MonthlyBudget, Queue } from '../project-config.ts'
import { durationText } from '../reading/duration.ts'
import type { Consent, Overlay, QuorumSetting, RoutingEntry, When } from '../routing.ts'
import type { ShellRule } from '../worker-definition.ts'

/** The quorum of a routing entry in words. Pure. */
export function quorumWords(quorum: QuorumSetting): string {
  return 'places' in quorum ? quorumText(quorum.places) : `${quorum.count} of the queue's team`
}

/** A shell rule in words: "without approval: Run git log". Pure. */
export function shellRuleWords(rule: ShellRule): string {
  return consentWords(rule.consent, commandRuleText(rule))
}

/** A routing entry in words: "calls on files like infra/** by scribe: risk high". Pure. */
export function routingWords({ when, quorum, ...entry }: RoutingEntry): string {
  const route = routeText({ ...entry, quorum: quorum === null ? null : quorumWords(quorum) })
  return `${whenWords(when)}: ${route}`
}

/** An overlay in words: "never: calls of shell that run git push · not here". Pure. */
export function overlayWords({ when, consent }: Overlay): string {
  return consentWords(consent, whenWords(when))
}

/** One escalation of a queue in words: "to security after 1d". Pure. */
export function escalationWords({ afterMs, addTeams }: Queue['escalate'][number]): string {
  return `to ${addTeams.join(', ')} after ${durationText(afterMs)}`
}

/** A monthly budget in words. Pure. */
export function budgetWords({ worker, costUsd }: MonthlyBudget): string {
  return `${worker === '*' ? 'all workers together' : worker}: $${costUsd} a month`
}

function consentWords({ approval, reason }: Consent, what: string): string {
  return `${approvalLabels[approval]}: ${what}${reason === null ? '' : ` · ${reason}`}`
}

function whenWords(when: When): string {
  const conditions = Object.entries(when).flatMap(
    ([key, values]: [string, readonly string[] | null]) =>
      values === null ? [] : [`${conditionWords[key] ?? key} ${values.join(' or ')}`],
  )
  if (conditions.length === 0) return 'every call'
  return `${when.tool === null ? 'calls ' : ''}${conditions.join(' ')}`
}
