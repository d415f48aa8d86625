import { beforeEach, expect, test } from 'vitest'
import type { Revocation } from '#domain/statements/row-seals.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import { SignInCache, type SignIn, type Use } from './sign-in-cache.ts'

let isListening: boolean
let now: number
let loads: number
let cache: SignInCache
let use: Use
const ended = new Set<string>()
const revocations = { has: ({ id }: Revocation) => ended.has(id), add: async () => undefined }
const ctx = { seals: { ...testSeals, revocations } }

beforeEach(() => {
  isListening = true
  now = 1000
  use = 'judged by the look-up'
  loads = 0
  ended.clear()
  cache = new SignInCache({ isListening: () => isListening, now: () => now })
})

const grace: SignIn<string> = {
  found: 'Grace',
  personId: 'p-grace',
  restsOn: [
    { what: 'session', id: 's-1' },
    { what: 'person', id: 'p-grace' },
  ],
  livesMs: null,
}

/** How often the database was asked by now. */
async function loadsAfter(
  found: SignIn<string> | null = grace,
  during: () => void = () => undefined,
): Promise<number> {
  const load = async () => {
    loads += 1
    during()
    return found
  }
  expect(await cache.read(ctx, 'session 1', load, () => true, use)).toBe(found?.found ?? null)
  return loads
}

// Rules: security.md 21, 29
test('a cached sign-in is used for two seconds, whether it is read meanwhile or not', async () => {
  expect(await loadsAfter()).toBe(1)
  now += 1999
  expect(await loadsAfter()).toBe(1)
  now += 1
  expect(await loadsAfter()).toBe(2)
})

test('a cached sign-in is used for thirty seconds in a verb that checks the session in its own transaction', async () => {
  await loadsAfter()
  now += 29_999
  use = 'judged again'
  expect(await loadsAfter()).toBe(1)
  use = 'judged by the look-up'
  expect(await loadsAfter()).toBe(2)
  now += 30_000
  use = 'judged again'
  expect(await loadsAfter()).toBe(3)
})

test.each(['judged by the look-up', 'judged again'] as const)(
  'a cached sign-in is used no longer than its session lasts (%s)',
  async (how) => {
    use = how
    expect(await loadsAfter({ ...grace, livesMs: 300 })).toBe(1)
    now += 299
    expect(await loadsAfter()).toBe(1)
    now += 1
    expect(await loadsAfter()).toBe(2)
  },
)

test('a change of its person, or a lost notification, ends a cached sign-in; a change of another person does not', async () => {
  await loadsAfter()
  cache.forget('p-ada')
  expect(await loadsAfter()).toBe(1)
  cache.forget('p-grace')
  expect(await loadsAfter()).toBe(2)
  cache.forget(null)
  expect(await loadsAfter()).toBe(3)
})

test('a sign-in that is read before a change and arrives after it is used once and not stored', async () => {
  expect(await loadsAfter(grace, () => cache.forget('p-grace'))).toBe(1)
  expect(await loadsAfter()).toBe(2)
})

test('no cached sign-in is used or stored while no notifications of changes arrive', async () => {
  await loadsAfter()
  isListening = false
  expect(await loadsAfter()).toBe(2)
  expect(await loadsAfter()).toBe(3)
  expect(await loadsAfter(grace, () => (isListening = true))).toBe(4)
  expect(await loadsAfter(grace, () => (isListening = false))).toBe(5)
  isListening = true
  expect(await loadsAfter()).toBe(6)
  expect(await loadsAfter()).toBe(6)
})

test.each(['s-1', 'p-grace'])(
  'an end in the ledger (%s) ends a cached sign-in at its next use',
  async (id) => {
    await loadsAfter()
    ended.add(id)
    expect(await loadsAfter(null)).toBe(2)
  },
)

test('a sign-in that was not found is not cached', async () => {
  expect(await loadsAfter(null)).toBe(1)
  expect(await loadsAfter()).toBe(2)
})

test('a cached sign-in that does not suffice is read again', async () => {
  const load = async () => {
    loads += 1
    return grace
  }
  await cache.read(ctx, 'session 1', load, () => true, use)
  await cache.read(ctx, 'session 1', load, () => false, use)
  expect(loads).toBe(2)
})

test('callers that arrive while a sign-in is read share that reading, unless a change comes meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<SignIn<string>>()
  const load = async () => {
    loads += 1
    return promise
  }
  const together = [1, 2, 3].map(() => cache.read(ctx, 'session 1', load, () => true, use))
  resolve(grace)
  expect(await Promise.all(together)).toEqual(['Grace', 'Grace', 'Grace'])
  expect(loads).toBe(1)
  cache.forget(null)
  const missed = [1, 2].map(() => cache.read(ctx, 'session 1', load, () => true, use))
  cache.forget('p-grace')
  expect(await Promise.all(missed)).toEqual(['Grace', 'Grace'])
  expect(loads).toBe(3)
})
