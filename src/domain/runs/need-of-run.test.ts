import { expect, it } from 'vitest'
import type { RequestKind } from '../requests/request.ts'
import { needOfRun } from './need-of-run.ts'

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
  expect(needOfRun(kinds.map((kind) => ({ kind })))).toBe(need)
})
