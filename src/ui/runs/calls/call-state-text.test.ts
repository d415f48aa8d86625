import { expect, test } from 'vitest'
import { callStateText } from './call-state-text.ts'

const pending = { verdict: 'ask', requestState: 'pending' } as const
const approved = { verdict: 'ask', requestState: 'approved' } as const
const free = { verdict: 'preApproved' } as const
const done = { verdict: 'ask', requestState: 'approved', result: {} } as const

// Rules: product.md 15
test('of a batch each call says what it waits for: a decision, or an earlier call', () => {
  const calls = [done, pending, approved, free]
  expect(calls.map((_, index) => callStateText(calls, index))).toEqual([
    null,
    'waits for a decision',
    'approved, waits for call 2 of this turn',
    'waits for call 2 of this turn',
  ])
})

test('a call with an outcome check says that nobody knows whether it took effect', () => {
  const lost = { ...approved, outcomeCheck: 'a-check' }
  expect(callStateText([lost, approved], 0)).toBe('nobody knows whether it took effect')
  expect(callStateText([lost, approved], 1)).toBe('approved, waits for call 1 of this turn')
})

test('a call that runs, has its result or is not judged yet waits for nothing that could be said', () => {
  expect(callStateText([done, approved], 1)).toBeNull()
  expect(callStateText([done], 0)).toBeNull()
  expect(callStateText([pending, { verdict: null }], 1)).toBeNull()
})
