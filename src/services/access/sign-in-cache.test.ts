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
test('a look-up counts for two seconds, whether it is used or not', async () => {
  expect(await loadsAfter()).toBe(1)
  now += 1999
  expect(await loadsAfter()).toBe(1)
  now += 1
  expect(await loadsAfter()).toBe(2)
})

test('it counts for thirty seconds in a verb that looks for the session in its own transaction', async () => {
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
  'a session that ends before that counts no longer than it lasts (%s)',
  async (how) => {
    use = how
    expect(await loadsAfter({ ...grace, livesMs: 300 })).toBe(1)
    now += 299
    expect(await loadsAfter()).toBe(1)
    now += 1
    expect(await loadsAfter()).toBe(2)
  },
)

test('a change of the person, or one that was missed, ends it; that of another person does not', async () => {
  await loadsAfter()
  cache.forget('p-ada')
  expect(await loadsAfter()).toBe(1)
  cache.forget('p-grace')
  expect(await loadsAfter()).toBe(2)
  cache.forget(null)
  expect(await loadsAfter()).toBe(3)
})

test('what was read before a change and comes after it is answered once and not stored', async () => {
  expect(await loadsAfter(grace, () => cache.forget('p-grace'))).toBe(1)
  expect(await loadsAfter()).toBe(2)
})

test('nothing counts, and nothing is stored, while changes are not heard of', async () => {
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

test.each(['s-1', 'p-grace'])('what is in the ledger (%s) ends it at the next use', async (id) => {
  await loadsAfter()
  ended.add(id)
  expect(await loadsAfter(null)).toBe(2)
})

test('nobody is remembered as nobody', async () => {
  expect(await loadsAfter(null)).toBe(1)
  expect(await loadsAfter()).toBe(2)
})

test('a look-up that is not enough is made again', async () => {
  const load = async () => {
    loads += 1
    return grace
  }
  await cache.read(ctx, 'session 1', load, () => true, use)
  await cache.read(ctx, 'session 1', load, () => false, use)
  expect(loads).toBe(2)
})

test('callers that come while it is looked up share that look-up, unless a change comes meanwhile', async () => {
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
