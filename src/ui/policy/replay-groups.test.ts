import { expect, test } from 'vitest'
import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import { addDifferences } from './replay-groups.ts'

type Item = PolicyReplay['items'][number]

const asks = { verdict: 'ask', reason: 'zone notes: write asks', asks: 'platform' } as const
const alone = {
  verdict: 'preApproved',
  reason: 'zone notes: write is pre-approved',
  asks: null,
} as const
const never = { verdict: 'blocked', reason: 'Nothing is deleted', asks: null } as const

function difference(runId: string, change: Partial<Item>): Item {
  const call = { callId: runId, runId, worker: 'scribe', tool: 'write_file' }
  return { ...call, recorded: 'ask', before: asks, after: alone, ...change }
}

test('calls that would change in the same way are one group with the newest run, wider ones first', () => {
  const first = addDifferences(
    [],
    [
      difference('run-4', { after: never }),
      difference('run-3', { after: never }),
      difference('run-2', {}),
    ],
  )
  const groups = addDifferences(first, [
    difference('run-1', {}),
    difference('run-0', { tool: 'edit_file' }),
  ])
  expect(groups).toMatchObject([
    { tool: 'write_file', before: 'ask', after: 'preApproved', count: 2, newestRunId: 'run-2' },
    { tool: 'edit_file', after: 'preApproved', count: 1, newestRunId: 'run-0' },
    { after: 'blocked', why: 'Nothing is deleted', count: 2, newestRunId: 'run-4' },
  ])
})

test('a version that asks somewhere else is a difference of its own, by the recorded verdict if none other is known', () => {
  const elsewhere = { ...asks, asks: 'finance' }
  const groups = addDifferences(
    [],
    [
      difference('run-1', { after: elsewhere }),
      difference('run-0', { before: null, recorded: 'preApproved', after: asks }),
    ],
  )
  expect(groups.map(({ before, why }) => [before, why])).toEqual([
    ['ask', 'finance'],
    ['preApproved', 'platform'],
  ])
})
