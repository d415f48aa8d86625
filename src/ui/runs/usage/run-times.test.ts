import { expect, test } from 'vitest'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { runTimes, timeTotals } from './run-times.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const call = {
  callId: 'c',
  toolCallId: 't',
  tool: 'write_file',
  input: {},
  verdict: 'ask' as const,
  rule: null,
  times: { askedAt: at(10), decidedAt: at(40), startedAt: at(41), finishedAt: at(43) },
}
const items: TranscriptItem[] = [
  { turn: 1, role: 'user', author: null, at: at(0), text: 'Go' },
  { turn: 1, role: 'assistant', author: null, at: at(10), calls: [call] },
  { turn: 2, role: 'assistant', author: null, at: at(50), text: 'Done' },
]

test('the time of a run is the model’s, the tools’ and the people’s, and none of it counts twice', () => {
  const intervals = runTimes(items, null)
  expect(intervals.map(({ holder, from, to }) => [holder, from / 1000, to / 1000])).toEqual([
    ['model', 0, 10],
    ['people', 10, 40],
    ['tools', 41, 43],
    ['model', 43, 50],
  ])
  expect(timeTotals(intervals)).toEqual({ model: 17_000, people: 30_000, tools: 2000 })
  expect(runTimes([], null)).toEqual([])
})

test('the time of people includes calls that still wait, and counts once what several waited for', () => {
  const waiting = { ...call, times: { ...call.times, decidedAt: null, startedAt: null } }
  const turn: TranscriptItem = {
    ...items[1]!,
    calls: [call, waiting, { ...waiting, result: { type: 'cancelled' } }],
  }
  const intervals = runTimes([items[0]!, turn], Date.parse(at(70)))
  expect(intervals.map(({ holder, to }) => [holder, to / 1000])).toEqual([
    ['model', 10],
    ['people', 40],
    ['tools', 43],
    ['people', 70],
  ])
  expect(timeTotals(intervals).people).toBe(60_000)
  expect(timeTotals(runTimes([items[0]!, turn], null)).people).toBe(30_000)
})
