import { expect, it } from 'vitest'
import type { RequestKind } from '../requests/request.ts'
import { needOfRequests, needOfRun } from './need-of-run.ts'

it.each<[string, RequestKind[]]>([
  ['answer', ['question']],
  ['answer', ['question', 'question']],
  ['settle', ['outcome_check']],
  ['decide', ['tool_call']],
  ['decide', ['start']],
  ['decide', ['question', 'tool_call']],
  ['decide', ['question', 'outcome_check']],
  ['decide', []],
])('a run needs people to %s where it waits for %j', (need, kinds) => {
  expect(needOfRequests(kinds.map((kind) => ({ kind })))).toBe(need)
})

it('a run needs what its own requests need, and a decision where a viewer does not see all of them', () => {
  const question = { runId: 'own', kind: 'question' as const }
  const below = { runId: 'below', kind: 'tool_call' as const }
  const run = { id: 'own', pendingRequests: 1 }
  expect(needOfRun({ ...run, waitsFor: [question, below] })).toBe('answer')
  expect(needOfRun({ ...run, waitsFor: [{ ...question, runId: 'below' }] })).toBe('decide')
  expect(needOfRun({ ...run, pendingRequests: 2, waitsFor: [question] })).toBe('decide')
})
