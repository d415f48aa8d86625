import { expect, test } from 'vitest'
import { againSentence, alikeWords } from './alike-words.ts'

const grace = { decidedBy: 'Grace' }

test.each([
  ['carried out, approved by Grace', 'approved', 'succeeded', grace],
  ['carried out and failed, approved by Grace', 'approved', 'failed', grace],
  ['perhaps carried out, the outcome is unknown, approved by Grace', 'approved', 'unknown', grace],
  ['not carried out, approved by Grace', 'approved', 'refused', grace],
  ['carried out, allowed without a person', 'approved', 'succeeded', { decidedBy: null }],
  ['denied by Grace', 'denied', 'not_started', grace],
  ['waits too', 'pending', 'not_started', { decidedBy: null }],
  ['expired, not carried out', 'expired', 'not_started', { decidedBy: null }],
] as const)('the outcome of an alike request is in words: %s', (words, state, execution, by) => {
  expect(alikeWords({ state, execution: { state: execution }, ...by })).toBe(words)
})

test('the number of times that the same call was carried out is a sentence, and none if it never was', () => {
  expect(againSentence(0)).toBeNull()
  expect(againSentence(1)).toBe('This very call was carried out once before')
  expect(againSentence(3)).toBe('This very call was carried out 3 times before')
})
