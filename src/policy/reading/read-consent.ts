import type { ApprovalWord } from '#domain/policy/verdict.ts'
import type { Consent } from '../routing.ts'
import { readChoice, readText } from './values.ts'
import {
  isMapAt,
  readEntries,
  readFields,
  fieldSource,
  wrong,
  type YamlField,
} from './yaml-field.ts'

/** Refuses a `reason` beside an approval that has its own, because only one could count. */
export function checkOneReason(approval: YamlField | null, reason: YamlField | null): void {
  if (approval === null || reason === null || !isMapAt(approval)) return
  const { blocked, reason: own } = Object.fromEntries(readEntries(approval))
  if (blocked === undefined && own === undefined) return
  wrong(reason, 'is a second reason', `the approval has one already: keep one of them`)
}

/**
 * Reads a word on consent in each of its forms: `ask`, `{ blocked: "reason" }`, `{ approval: ask,
 * reason: "…" }`. `beside` is a `reason` that stands next to the key.
 */
export function readConsent(
  field: YamlField,
  words: readonly ApprovalWord[],
  beside: string | null,
): Consent | null {
  const source = fieldSource(field)
  if (!isMapAt(field)) {
    const approval = readChoice(field, words)
    return approval === null ? null : { approval, reason: beside, source }
  }
  const fields = readFields(field, ['blocked', 'approval', 'reason'])
  if (fields === null) return null
  const blocked = fields.get('blocked')
  const approvalField = fields.get('approval')
  const reasonField = fields.get('reason')
  if (blocked !== null && approvalField === null && reasonField === null) {
    const reason = readText(blocked)
    return reason === null ? null : { approval: 'blocked', reason, source }
  }
  if (approvalField === null || blocked !== null) {
    wrong(
      field,
      'must have exactly one of these keys',
      'write one word, or `{ blocked: "reason" }`, or `{ approval: ask, reason: "…" }`',
    )
    return null
  }
  const approval = readChoice(approvalField, words)
  const reason = reasonField === null ? beside : readText(reasonField)
  return approval === null ? null : { approval, reason, source }
}
