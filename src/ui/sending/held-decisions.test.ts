import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import type { ApiRequest } from '#client/call.ts'
import { keepSession } from '../api/call-api.ts'
import { meQuery } from '../api/queries.ts'
import { holdDecision, removeUnrecorded, sendAllHeld } from './held-decisions.ts'

afterEach(() => {
  removeUnrecorded()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function signIn(personId: string): void {
  keepSession({ person: { id: personId }, csrfToken: `token of ${personId}` })
}

/** The CSRF tokens of the calls that are sent. */
function watchCalls(): string[] {
  const tokens: string[] = []
  vi.stubGlobal('fetch', async (_path: string, { headers }: ApiRequest) => {
    tokens.push(headers['x-csrf-token'] ?? '')
    return Response.json({})
  })
  return tokens
}

function holdOne(): void {
  holdDecision({
    requestId: 'one',
    number: 1,
    act: 'Approve',
    effect: 'Edit a.md',
    body: { decision: 'deny', digest: 'sha256:0', revision: 1, reason: 'no' },
    recordedWords: () => Promise.resolve('Denied.'),
    refusedWords: ({ message }) => message,
    say: () => undefined,
  })
}

test('a held decision is sent with the session of the page', async () => {
  vi.useFakeTimers()
  const tokens = watchCalls()
  signIn('grace')
  holdOne()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(tokens).toEqual(['token of grace'])
})

test.each([
  ['the rest of its time is over', () => vi.advanceTimersByTimeAsync(5_000)],
  ['its person goes to another page', async () => sendAllHeld()],
])('a decision whose device slept for an hour is not sent when %s', async (_, act) => {
  vi.useFakeTimers()
  const tokens = watchCalls()
  signIn('grace')
  holdOne()
  vi.setSystemTime(Date.now() + 3_600_000)
  await act()
  expect(tokens).toEqual([])
  expect(removeUnrecorded()).toMatchObject([{ stage: 'refused', canSendAgain: true }])
})

// Rules: product.md 17
test('a decision whose time ends after another person has signed in, before the page loads anew, is not sent as theirs', async () => {
  vi.useFakeTimers()
  signIn('grace')
  holdOne()
  const linus = { person: { id: 'linus' }, csrfToken: 'token of linus' }
  vi.stubGlobal('fetch', async () => Response.json(linus))
  expect(await new QueryClient().fetchQuery(meQuery)).toEqual(linus)
  const tokens = watchCalls()
  await vi.advanceTimersByTimeAsync(5_000)
  // The service refuses it: the cookie is of another session.
  expect(tokens).toEqual(['token of grace'])
})
