import type { ApprovalWord, Rule } from '#domain/policy/verdict.ts'
import type { Consent } from '../../routing.ts'

/** One opinion on consent: its approval, the rule behind it, and its own text for a block. */
export interface Opinion {
  readonly approval: ApprovalWord
  readonly rule: Rule
  readonly reason: string | null
  /** the call concerns a protected name */
  readonly isHighRisk: boolean
}

const strictness: Readonly<Record<ApprovalWord, number>> = { preApproved: 0, ask: 1, blocked: 2 }
const phrase: Readonly<Record<ApprovalWord, string>> = {
  preApproved: 'is pre-approved',
  ask: 'asks',
  blocked: 'is blocked',
}

/** Whether one approval is stricter than another. */
export function isStricter(word: ApprovalWord, other: ApprovalWord): boolean {
  return strictness[word] > strictness[other]
}

/** The strictest opinion; among equals the first. `null` for none. */
export function strictest(opinions: readonly Opinion[]): Opinion | null {
  let decisive: Opinion | null = null
  for (const opinion of opinions) {
    if (decisive === null || isStricter(opinion.approval, decisive.approval)) {
      decisive = opinion
    }
  }
  return decisive
}

/** A written consent as an opinion: `zone notes: write` becomes `zone notes: write asks`. */
export function opinionOf(consent: Consent, id: string, subject: string): Opinion {
  const because =
    consent.approval === 'ask' && consent.reason !== null ? ` (${consent.reason})` : ''
  return {
    approval: consent.approval,
    rule: { id, text: `${subject} ${phrase[consent.approval]}${because}`, source: consent.source },
    reason: consent.reason,
    isHighRisk: false,
  }
}

/** The text of a block for the model. */
export function blockedText(opinion: Opinion): string {
  return opinion.reason ?? `blocked by policy: ${opinion.rule.text}`
}
