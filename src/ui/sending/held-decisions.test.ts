import { afterEach, expect, test, vi } from 'vitest'
import type { ApiRequest } from '#client/call.ts'
import { keepSession } from '../api/call-api.ts'
import { holdDecision, sendAllHeld, takeBackAll } from './held-decisions.ts'

afterEach(() => {
  takeBackAll()
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

function holdOne(personId: string): void {
  holdDecision({
    personId,
    requestId: 'one',
    number: 1,
    act: 'Approve',
    effect: 'Edit a.md',
    body: { decision: 'deny', digest: 'sha256:0', revision: 1, reason: 'no' },
    recordedWords: () => Promise.resolve('Denied.'),
    refusedWords: ({ message }) => message,
  })
}

test('a held decision is sent with the session of its own person', async () => {
  vi.useFakeTimers()
  const tokens = watchCalls()
  signIn('grace')
  holdOne('grace')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(tokens).toEqual(['token of grace'])
})

// Rules: product.md 17
test('a decision whose time ends after another person has signed in, before their page is drawn, is not sent', async () => {
  vi.useFakeTimers()
  const tokens = watchCalls()
  signIn('grace')
  holdOne('grace')
  signIn('linus')
  await vi.advanceTimersByTimeAsync(5_000)
  signIn('grace')
  sendAllHeld()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(tokens).toEqual([])
})
