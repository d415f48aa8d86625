import { expect, it } from 'vitest'
import { misfitOf } from './verb-of-kind.ts'

it.each([
  ['answer', 'tool_call', '#7 is not a question. Approve or deny it: countersign approve 7'],
  ['answer', 'outcome_check', 'record it: countersign requests settle 7 --ran yes|no|unknown'],
  ['decide', 'outcome_check', '#7 is an outcome check: nobody knows what became of a call.'],
  ['decide', 'question', 'Answer it: countersign answer 7'],
] as const)('who wants to %s a %s reads which command does it', (verb, kind, sentence) => {
  expect(misfitOf(verb, { kind, number: 7, state: 'pending' })).toContain(sentence)
})

it.each([
  ['decide', 'question', 'approved', 'a question: the agent waits for words. It was answered'],
  ['decide', 'question', 'cancelled', 'a question: the agent waits for words. It is cancelled'],
  ['decide', 'outcome_check', 'approved', 'It was settled'],
  ['answer', 'tool_call', 'denied', '#7 is not a question. It is denied'],
] as const)('who wants to %s a %s that is %s reads how it ended', (verb, kind, state, sentence) => {
  expect(misfitOf(verb, { kind, number: 7, state })).toContain(sentence)
})

it('says nothing where the verb fits', () => {
  expect(misfitOf('answer', { kind: 'question', number: 7, state: 'pending' })).toBeNull()
  for (const kind of ['tool_call', 'external', 'attachment', 'start'] as const) {
    expect(misfitOf('decide', { kind, number: 7, state: 'pending' })).toBeNull()
  }
})
