import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { RepeatedWork } from './repeated-work.ts'

/** `rests`: how often it has begun to wait, with no round left to do. */
function counted(options: { gatherMs?: number; gatherAtMostMs?: number; paces?: number[] } = {}) {
  const [paces, count] = [options.paces ?? [], { rounds: 0, rests: 0 }]
  const repeating = new RepeatedWork({
    ...options,
    everyMs: () => paces[count.rests++] ?? 60_000,
    work: async () => {
      count.rounds += 1
      await delay(1)
    },
    onError: () => undefined,
  })
  return { repeating, rounds: () => count.rounds, rests: () => count.rests }
}

test('a pause that is a function is computed after each round', async () => {
  const { repeating, rounds, rests } = counted({ paces: [1, 1, 1] })
  await waitUntil(() => rests() === 4, { withinMs: 5000 })
  expect(rounds()).toBe(4)
  repeating.wake()
  await waitUntil(() => rests() === 5, { withinMs: 5000 })
  expect(rounds()).toBe(5)
  await repeating[Symbol.asyncDispose]()
})

test('wakes within the gathering time lead to one round', async () => {
  const { repeating, rounds, rests } = counted({ gatherMs: 30 })
  for (let times = 0; times < 10; times += 1) repeating.wake()
  await waitUntil(() => rests() === 1, { withinMs: 5000 })
  expect(rounds()).toBe(1)
  await repeating[Symbol.asyncDispose]()
})

test('while wakes keep coming, it gathers up to a bound', async () => {
  const patient = counted({ gatherMs: 20, gatherAtMostMs: 60_000 })
  const hasty = counted({ gatherMs: 20, gatherAtMostMs: 100 })
  while (hasty.rounds() === 0) {
    for (const { repeating } of [patient, hasty]) repeating.wake()
    await setImmediate()
  }
  expect(patient.rounds()).toBe(0)
  await waitUntil(() => patient.rounds() === 1, { withinMs: 5000 })
  for (const { repeating } of [patient, hasty]) await repeating[Symbol.asyncDispose]()
})

test('closing does not wait for more wakes, and loses no round that was requested', async () => {
  const { repeating, rounds } = counted({ gatherMs: 60_000 })
  await repeating[Symbol.asyncDispose]()
  expect(rounds()).toBe(1)
})

test('a round that is requested within a time comes although the next one is far away', async () => {
  const { repeating, rounds } = counted()
  await waitUntil(() => rounds() === 1, { withinMs: 5000 })
  repeating.wakeWithin(20)
  repeating.wakeWithin(50_000)
  await waitUntil(() => rounds() === 2, { withinMs: 5000 })
  await repeating[Symbol.asyncDispose]()
})

test('a round that is requested while another runs comes after it, within the time', async () => {
  const { repeating, rounds } = counted()
  repeating.wakeWithin(20)
  await waitUntil(() => rounds() === 2, { withinMs: 5000 })
  await repeating[Symbol.asyncDispose]()
})

test('a round that comes sooner by itself also counts as the requested one', async () => {
  const { repeating, rounds, rests } = counted()
  const later = counted()
  await waitUntil(() => rests() === 1 && later.rests() === 1, { withinMs: 5000 })
  repeating.wakeWithin(100)
  repeating.wake()
  // Its timer is due after the one that the first round makes needless.
  later.repeating.wakeWithin(150)
  await waitUntil(() => later.rounds() === 2, { withinMs: 5000 })
  expect(rounds()).toBe(2)
  for (const each of [repeating, later.repeating]) await each[Symbol.asyncDispose]()
})
