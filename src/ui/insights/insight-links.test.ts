import { expect, test } from 'vitest'
import { activeRuns, listBehind, openedOn, unseenIn } from './insight-links.ts'

const [from, to, me] = ['2026-01-01T00:00:00.000Z', '2026-01-31T00:00:00.000Z', 'i']
const period = 'from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-31T00%3A00%3A00.000Z'

test.each([
  ['queue', 'platform', 'approved', `/?state=approved&queue=platform&${period}`],
  ['tool', 'mcp__a__b', 'opened', `/?state=any&tool=mcp__a__b&${period}`],
  ['rule', 'zone:notes.write', 'waiting', '/?state=pending&rule=zone%3Anotes.write'],
  ['worker', 'a&b', 'denied', `/?state=denied&worker=a%26b&${period}`],
  ['worker', '', 'denied', `/?state=denied&worker=&${period}`],
  ['queue', 'platform', 'failed', `/?state=any&effect=failed&queue=platform&${period}`],
  ['person', 'i', 'approved', `/?state=any&decidedBy=i&decision=approve&${period}`],
  ['queue', 'platform', 'decided', `/?state=any&decided=true&queue=platform&${period}`],
  ['person', 'you', 'decided', `/?state=any&decidedBy=you&${period}`],
  ['person', 'i', 'waiting', '/?mine=true'],
  ['person', 'you', 'waiting', null],
  ['queue', 'platform', 'grantsUsed', `/?state=any&grantsUsed=true&queue=platform&${period}`],
  ['person', 'you', 'grantsUsed', `/?state=any&decidedBy=you&grantsUsed=true&${period}`],
  ['queue', 'q', 'hour', '/?state=pending&queue=q&from=2026-01-30T23%3A00%3A00.000Z'],
  [
    'queue',
    'q',
    'day',
    '/?state=pending&queue=q&from=2026-01-30T00%3A00%3A00.000Z&to=2026-01-30T23%3A00%3A00.000Z',
  ],
  ['person', 'i', 'longer', '/?mine=true&to=2026-01-24T00%3A00%3A00.000Z'],
  ['person', 'you', 'longer', null],
] as const)('a figure by %s of %s leads to what was %s in its time', (by, key, what, path) => {
  expect(listBehind({ by, from, to, me }, { key }, what)).toBe(path)
})

test('a day leads to what was opened on it, and became what the mark says', () => {
  const day = 'from=2026-01-31T00%3A00%3A00.000Z&to=2026-02-01T00%3A00%3A00.000Z'
  expect(openedOn('2026-01-31', 'opened')).toBe(`/?state=any&${day}`)
  expect(openedOn('2026-01-31', 'denied')).toBe(`/?state=denied&${day}`)
  expect(openedOn('2026-01-31', 'cancelled')).toBe(`/?state=cancelled&${day}`)
})

test('what expired unseen, and the runs that used a model, are those of the time', () => {
  expect(unseenIn({ from, to })).toBe(`/?state=expired&unseen=true&${period}`)
  const active = 'activeFrom=2026-01-01T00%3A00%3A00.000Z&activeTo=2026-01-31T00%3A00%3A00.000Z'
  expect(activeRuns({ by: 'worker', from, to }, 'a&b')).toBe(`/runs?worker=a%26b&${active}`)
  expect(activeRuns({ by: 'person', from, to }, 'i')).toBe(`/runs?startedBy=i&${active}`)
})
