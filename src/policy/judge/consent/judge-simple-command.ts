import type { ApprovalWord, Rule } from '#domain/policy/verdict.ts'
import { oneLine } from '#domain/text/one-line.ts'
import type { ShellPolicy, ShellRule } from '../../worker-definition.ts'
import { opinionOf } from './opinion.ts'
import { firstRestriction } from '../../shell/rules/first-match.ts'
import { preApprove, type CommandContext } from '../../shell/rules/pre-approve.ts'
import type { PossibleCommand } from '../../shell/search/possible-commands.ts'
import type { Budget } from '../../shell/spelling/budget.ts'
import { anyCharacter, anyText, type Spelling } from '../../shell/spelling/spelling.ts'
import type { KnownWord } from '../../shell/strict/expand-word.ts'

/** Id of the default for commands without a rule. */
export const defaultRule = 'shell:default'

/** The most characters of a command in a sentence: a command can be a script of any length. */
const longestDisplay = 200

/** The opinion about one simple command. */
export interface CommandOpinion {
  readonly displayText: string
  readonly approval: ApprovalWord
  readonly rule: Rule
  readonly reason: string | null
  /** for a command of the text itself */
  readonly node?: PossibleCommand['node']
  /** its words for execution, when it is pre-approved */
  readonly printed: readonly KnownWord[] | null
  /** the zones that its rule names */
  readonly visibleZones: readonly string[]
  /** the paths in its arguments, when it is pre-approved */
  readonly paths: readonly string[]
  /** those of them that it may read */
  readonly mayRead: readonly string[]
}

/** First match wins. Pre-approvals match the exact vector, other rules every meaning. */
export async function judgeSimpleCommand(
  policy: ShellPolicy,
  command: PossibleCommand,
  words: readonly KnownWord[] | null,
  context: CommandContext,
  budget: Budget,
): Promise<CommandOpinion> {
  const displayText =
    words === null
      ? displayWords(command.words)
      : oneLine(words.map((word) => word.printed).join(' '), longestDisplay)
  const skipped: string[] = []
  let asksFirst: CommandOpinion | null = null
  const restriction = firstRestriction(policy.rules, command.words, 0, budget)
  for (const rule of policy.rules) {
    if (rule === restriction) return ruleOpinion(rule, displayText)
    if (rule.consent.approval !== 'preApproved' || words?.[0]?.text !== rule.pattern[0]) continue
    const answer = words === null ? null : await preApprove(rule, words, context)
    if (answer === null || (answer.kind === 'skips' && answer.why === null)) continue
    if (answer.kind === 'approves') {
      const { words: printed, visibleZones, paths, mayRead } = answer
      return { ...ruleOpinion(rule, displayText), printed, visibleZones, paths, mayRead }
    }
    if (answer.kind === 'skips') skipped.push(answer.why ?? '')
    else asksFirst ??= askingOpinion(rule, displayText, answer.why)
  }
  if (asksFirst !== null) return asksFirst
  if (words === null) skipped.push('its words are not all known')
  const why = skipped.length === 0 ? '' : ` (${skipped.join('; ')})`
  const { default: approval, source } = policy
  const text = `no shell rule allows ${displayText}${why}: it ${approval === 'ask' ? 'asks' : 'is blocked'}`
  return {
    displayText,
    approval,
    rule: { id: defaultRule, text, source },
    reason: null,
    printed: null,
    visibleZones: [],
    paths: [],
    mayRead: [],
  }
}

/** The opinion of a shell rule on a command that it matches, with the rule's own description. */
export function ruleOpinion(rule: ShellRule, displayText: string): CommandOpinion {
  const pattern = rule.pattern.join(' ')
  const {
    approval,
    rule: base,
    reason,
  } = opinionOf(rule.consent, `shell:${pattern}`, `shell rule "${pattern}"`)
  const text = rule.description === null ? base.text : `${rule.description}: ${base.text}`
  return {
    displayText,
    approval,
    rule: { ...base, text },
    reason,
    printed: null,
    visibleZones: [],
    paths: [],
    mayRead: [],
  }
}

function askingOpinion(rule: ShellRule, displayText: string, why: string): CommandOpinion {
  const { rule: base } = ruleOpinion(rule, displayText)
  const text = `shell rule "${rule.pattern.join(' ')}" would pre-approve it, but ${why}: it asks`
  return {
    displayText,
    approval: 'ask',
    rule: { ...base, text },
    reason: null,
    printed: null,
    visibleZones: [],
    paths: [],
    mayRead: [],
  }
}

/**
 * A command on one line for people: `…` for parts that are unknown before it runs, at most 200
 * characters, control characters replaced.
 */
export function displayWords(words: readonly Spelling[]): string {
  const texts = words.map(({ alternatives, isOpen }) =>
    isOpen ? '…' : (alternatives[0]?.join(' ') ?? ''),
  )
  const written = texts.join(' ').replaceAll(anyText, '*').replaceAll(anyCharacter, '?')
  const text = written.replace(/\p{C}/gu, '�')
  return text.length <= longestDisplay
    ? text
    : `${text.slice(0, longestDisplay)}… (${text.length} characters)`
}
