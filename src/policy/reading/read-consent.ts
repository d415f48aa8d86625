import type { ApprovalWord, Consent } from '../policy.ts'
import { readChoice, readText } from './values.ts'
import { isMapAt, readEntries, readFields, spotSource, wrong, type Spot } from './spot.ts'

/** Refuses a `reason` beside an approval that has one of its own: which of them would count? */
export function checkOneReason(approval: Spot | null, reason: Spot | null): void {
  if (approval === null || reason === null || !isMapAt(approval)) return
  const { blocked, reason: own } = Object.fromEntries(readEntries(approval))
  if (blocked === undefined && own === undefined) return
  wrong(reason, 'is a second reason', `the approval has one already: keep one of them`)
}

/**
 * Reads a word on consent in each of its forms: `ask`, `{ blocked: "reason" }`, `{ approval: ask, reason: "…" }`.
 * `beside` is a `reason` that stands next to the key.
 */
export function readConsent(
  spot: Spot,
  words: readonly ApprovalWord[],
  beside: string | null,
): Consent | null {
  const source = spotSource(spot)
  if (!isMapAt(spot)) {
    const approval = readChoice(spot, words)
    return approval === null ? null : { approval, reason: beside, source }
  }
  const fields = readFields(spot, ['blocked', 'approval', 'reason'])
  if (fields === null) return null
  const blocked = fields.get('blocked')
  const approvalSpot = fields.get('approval')
  const reasonSpot = fields.get('reason')
  if (blocked !== null && approvalSpot === null && reasonSpot === null) {
    const reason = readText(blocked)
    return reason === null ? null : { approval: 'blocked', reason, source }
  }
  if (approvalSpot === null || blocked !== null) {
    wrong(
      spot,
      'does not say one thing',
      'write one word, or `{ blocked: "reason" }`, or `{ approval: ask, reason: "…" }`',
    )
    return null
  }
  const approval = readChoice(approvalSpot, words)
  const reason = reasonSpot === null ? beside : readText(reasonSpot)
  return approval === null ? null : { approval, reason, source }
}
