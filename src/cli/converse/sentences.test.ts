import { expect, test } from 'vitest'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { restSentence } from './sentences.ts'
import { restLines } from '../text/rest-lines.ts'

test('the rest of a run is printed if the service reports it; an older service reports null', () => {
  const restsUntil = new Date(Date.now() + 3 * 3_600_000 + 1_000).toISOString()
  const run = { number: 7, rest: 'answered', restsUntil } as RunDetail
  expect(restLines(run)[0]).toContain('which ends it in 3 hours otherwise')
  expect(restSentence(run)).toContain('It ends by itself in 3 hours.')
  const older = { ...run, restsUntil: null } as unknown as RunDetail
  expect(restLines(older)[0]).toBe('It waits for a message: countersign runs message 7 TEXT')
  expect(restSentence(older)).not.toContain('ends by itself')
})
