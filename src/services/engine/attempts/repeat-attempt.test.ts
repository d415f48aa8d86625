import { expect, test } from 'vitest'
import type { CallAtHand } from './call-at-hand.ts'
import { isRepeated, keyAttemptOf } from './repeat-attempt.ts'

type Attempt = NonNullable<CallAtHand['execution']>

/** The state of a call after its newest attempt, with other columns of that attempt in `more`. */
function after(attempt: number, more: Partial<Attempt> = {}) {
  const fields = { attempt, detail: null, settled_then: null, settled_by: null, ...more }
  return { execution: fields as Attempt }
}

test('a repeated attempt has the idempotency key of the first', () => {
  expect(keyAttemptOf({ execution: null })).toBe(1)
  expect(keyAttemptOf(after(1, { settled_then: 'again' }))).toBe(1)
  const second = after(2, { settled_then: 'again', detail: { keyAttempt: 1 } })
  expect(keyAttemptOf(second)).toBe(1)
})

test('an attempt that a person asked for, or that follows a refused one, has a key of its own', () => {
  const settledAttempt = after(1, { settled_then: 'again', settled_by: 'grace' })
  expect(isRepeated(settledAttempt)).toBe(false)
  expect(keyAttemptOf(settledAttempt)).toBe(2)
  expect(keyAttemptOf(after(3, { state: 'refused' }))).toBe(4)
})
