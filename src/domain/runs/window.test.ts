import { expect, test } from 'vitest'
import { elidedAt, lastCompaction, type WindowStep } from './window.ts'

const at = new Date(0)
const elision = { kind: 'elision', fromTurn: 1, resultsOver: 100, text: null, at } as const
const steps: readonly WindowStep[] = [
  { ...elision, atTurn: 5, throughTurn: 2, throughPosition: 1 },
  { ...elision, atTurn: 9, throughTurn: 4, throughPosition: 3 },
]

test.each([
  ['before the last call that a step covers', { turn: 1, position: 9 }, 5],
  ['of that call', { turn: 2, position: 1 }, 5],
  ['behind it is left out by the next step', { turn: 2, position: 2 }, 9],
  ['behind every step is seen', { turn: 4, position: 4 }, null],
])('a result %s', (_, call, expected) => {
  expect(elidedAt(steps, { ...call, resultBytes: 101 })).toBe(expected)
  // The line that would replace it has the same length.
  expect(elidedAt(steps, { ...call, resultBytes: 100 })).toBeNull()
})

test('the newest compaction counts', () => {
  const compaction = {
    ...elision,
    kind: 'compaction',
    throughPosition: 0,
    text: 'So far.',
  } as const
  const first = { ...compaction, atTurn: 5, throughTurn: 3 }
  const second = { ...compaction, atTurn: 9, throughTurn: 7 }
  expect(lastCompaction(steps)).toBeNull()
  expect(lastCompaction([first, ...steps, second])).toBe(second)
})
