import { expect, test } from 'vitest'
import { isForOthers, placeOfOwn, type OwnWaitingRequest } from './own-waiting.ts'

const nowMs = Date.parse('2026-03-02T09:00:00.000Z')

/** A request of the person's own run that somebody can decide within a day. */
function waitingWith(more: Partial<OwnWaitingRequest['request']> = {}): OwnWaitingRequest {
  const request = {
    requestId: 'r',
    runId: 'run',
    number: 1,
    kind: 'tool_call' as const,
    since: '2026-03-02T08:00:00.000Z',
    expiresAt: '2026-03-03T08:00:00.000Z',
    effect: 'Change docs/notes.md: 2 lines added',
    people: [{ id: 'grace', name: 'Grace', awayUntil: null, fillsPlace: true }],
    ...more,
  }
  return { request, run: {} as OwnWaitingRequest['run'] }
}

const facts = { entries: [waitingWith()], mine: 3, rows: 20, nowMs }

test.each([
  ['nothing is theirs to decide', { mine: 0 }],
  ['nobody can decide a request of theirs', { entries: [waitingWith({ people: [] })] }],
  [
    'a request of theirs expires within an hour',
    { entries: [waitingWith(), waitingWith({ expiresAt: '2026-03-02T09:59:00.000Z' })] },
  ],
])('what a person waits for comes first if %s', (_, more) => {
  expect(placeOfOwn({ ...facts, ...more })).toEqual({ first: true, hasLine: false })
})

test('a person who can decide requests has it last, with a link to it above a long list only', () => {
  expect(placeOfOwn(facts)).toEqual({ first: false, hasLine: true })
  expect(placeOfOwn({ ...facts, rows: 2 })).toEqual({ first: false, hasLine: false })
})

test('what a person will wait for later moves no request that is on the screen', () => {
  const none = { ...facts, entries: [], mine: 0 }
  expect(placeOfOwn(none)).toEqual({ first: false, hasLine: false })
  expect(placeOfOwn({ ...none, rows: 0 })).toEqual({ first: true, hasLine: false })
})

test('nobody waits for themselves: a request that a person may answer is not one that they wait for', () => {
  const people = [
    { id: 'ada', name: 'Ada', awayUntil: null, fillsPlace: true },
    { id: 'grace', name: 'Grace', awayUntil: null, fillsPlace: true },
  ]
  expect(isForOthers(waitingWith({ people }), 'ada')).toBe(false)
  expect(isForOthers(waitingWith(), 'ada')).toBe(true)
  expect(isForOthers(waitingWith({ people: [] }), 'ada')).toBe(true)
})
