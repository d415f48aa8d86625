import { expect, test } from 'vitest'
import type { DecisionAnswer } from '../../api/schemas/decisions.ts'
import { ApiRefusal } from '../api/call-api.ts'
import { asInfinitive } from './as-infinitive.ts'
import { refusalWords } from './refusal-words.ts'
import { stageSentence } from './stage-sentence.ts'
import { executionSentence, outcomeOf, whyNotYours } from './state-words.ts'

const quorum = { required: [], counted: [], missing: [{ team: 'platform', count: 1 }], text: '' }
const waiting = { execution: { state: 'not_started' }, kind: 'tool_call' } as const
const answer = (state: DecisionAnswer['state'], stage: DecisionAnswer['stage']) => ({
  state,
  stage,
  quorum,
})

test('nothing is said to go on before something has taken it up', () => {
  const worker = 'Recorded. It will go on when a Temporal worker is back.'
  expect(stageSentence(answer('approved', 'recorded'), 'approve', waiting)).toBe(worker)
  expect(stageSentence(answer('approved', 'delivered'), 'approve', waiting)).toBe(worker)
  expect(stageSentence(answer('approved', 'succeeded'), 'approve', waiting)).toBe(
    'Recorded. The run goes on.',
  )
})

test('the sentence follows the execution that the page hears of later', () => {
  const started = { execution: { state: 'started' }, kind: 'tool_call' } as const
  expect(stageSentence(answer('approved', 'recorded'), 'approve', started)).toBe(
    'Recorded. The run goes on.',
  )
})

test('a vote that is not the last one says what is missing', () => {
  expect(stageSentence(answer('pending', 'recorded'), 'approve', waiting)).toBe(
    'Recorded. It still needs 1 of platform.',
  )
})

const clock = (): string => '14:06'
const refusal = (code: ApiRefusal['code'], facts: Record<string, unknown> = {}): ApiRefusal =>
  new ApiRefusal(409, code, 'The detail.', facts)

test('who lost a race reads who decided what, when and why, and that their own was not recorded', () => {
  const facts = {
    state: 'denied',
    decidedBy: { name: 'Ilya' },
    decidedAt: '2026-01-01T00:00:00Z',
    reason: 'wrong account',
  }
  expect(refusalWords(refusal('already_decided', facts), 'approval', clock)).toEqual({
    title: 'Already denied by Ilya at 14:06',
    text: '“wrong account” Your approval was not recorded.',
    reload: true,
  })
})

test('without an answer nobody is told that it was or was not recorded', () => {
  const words = refusalWords(refusal('network'), 'denial', clock)
  expect(words.text).toContain('may or may not')
  expect(words.reload).toBe(false)
})

test('what became of a request names who ended it or why', () => {
  const base = { decidedBy: null, cancelReason: null }
  expect(outcomeOf({ ...base, state: 'denied', decidedBy: { id: '1', name: 'Ilya' } })).toBe(
    'Denied by Ilya',
  )
  expect(outcomeOf({ ...base, state: 'cancelled', cancelReason: 'run_cancelled' })).toBe(
    'Cancelled: its run was cancelled',
  )
})

test('an approved call that did not run is not said to have run', () => {
  expect(executionSentence({ state: 'not_started' }, 'approved')).toBe(
    'Approved, not yet carried out.',
  )
  expect(executionSentence({ state: 'refused', reason: 'stale' }, 'approved')).toContain(
    'was not carried out',
  )
  expect(executionSentence({ state: 'not_started' }, 'pending')).toBeNull()
})

test('the reason why one cannot decide is said once', () => {
  expect(whyNotYours('you started this run')).toBe("You can't decide: you started this run")
  expect(whyNotYours("you can't decide: you started this run.")).toBe(
    "You can't decide: you started this run",
  )
})

test('a title becomes part of a sentence only where it begins with a plain verb', () => {
  expect(asInfinitive('Edit notes/1.2.md (+4 −1)')).toBe('edit notes/1.2.md (+4 −1)')
  expect(asInfinitive('SQL on orders')).toBe('SQL on orders')
})
