import { expect, it } from 'vitest'
import { misfitOf } from './verb-of-kind.ts'

it.each([
  ['answer', 'tool_call', '#7 is not a question. Approve or deny it: countersign approve 7'],
  ['answer', 'outcome_check', 'record it: countersign requests settle 7 --ran yes|no|unknown'],
  ['decide', 'outcome_check', '#7 is an outcome check: nobody knows what became of a call.'],
  ['decide', 'question', 'Answer it: countersign answer 7'],
] as const)('who wants to %s a %s reads which command does it', (verb, kind, sentence) => {
  expect(misfitOf(verb, { kind, number: 7 })).toContain(sentence)
})

it('says nothing where the verb fits', () => {
  expect(misfitOf('answer', { kind: 'question', number: 7 })).toBeNull()
  for (const kind of ['tool_call', 'external', 'attachment', 'start'] as const) {
    expect(misfitOf('decide', { kind, number: 7 })).toBeNull()
  }
})
