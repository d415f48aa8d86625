import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { RepeatedWork } from './repeated-work.ts'

function counted(options: {
  everyMs: number | (() => number)
  gatherMs?: number
  gatherAtMostMs?: number
}) {
  let rounds = 0
  const repeating = new RepeatedWork({
    ...options,
    work: async () => {
      rounds += 1
      await delay(1)
    },
    onError: () => undefined,
  })
  return { repeating, rounds: () => rounds }
}

test('a pause that is a function is computed after each round', async () => {
  let paceMs = 1
  const { repeating, rounds } = counted({ everyMs: () => paceMs })
  await waitUntil(() => rounds() > 3, { withinMs: 5000 })
  paceMs = 60_000
  await delay(20)
  const before = rounds()
  await delay(50)
  expect(rounds()).toBe(before)
  repeating.wake()
  await waitUntil(() => rounds() > before, { withinMs: 5000 })
  await repeating[Symbol.asyncDispose]()
})

test('wakes within the gathering time lead to one round', async () => {
  const { repeating, rounds } = counted({ everyMs: 60_000, gatherMs: 30 })
  for (let times = 0; times < 10; times += 1) repeating.wake()
  await waitUntil(() => rounds() === 1, { withinMs: 5000 })
  await delay(50)
  expect(rounds()).toBe(1)
  await repeating[Symbol.asyncDispose]()
})

test('while wakes keep coming, it gathers up to a bound', async () => {
  const patient = counted({ everyMs: 60_000, gatherMs: 20, gatherAtMostMs: 60_000 })
  const hasty = counted({ everyMs: 60_000, gatherMs: 20, gatherAtMostMs: 100 })
  while (hasty.rounds() === 0) {
    for (const { repeating } of [patient, hasty]) repeating.wake()
    await setImmediate()
  }
  expect(patient.rounds()).toBe(0)
  await waitUntil(() => patient.rounds() === 1, { withinMs: 5000 })
  for (const { repeating } of [patient, hasty]) await repeating[Symbol.asyncDispose]()
})

test('closing does not wait for more wakes, and loses no round that was requested', async () => {
  const { repeating, rounds } = counted({ everyMs: 60_000, gatherMs: 60_000 })
  await repeating[Symbol.asyncDispose]()
  expect(rounds()).toBe(1)
})

test('a round that is requested within a time comes although the next one is far away', async () => {
  const { repeating, rounds } = counted({ everyMs: 60_000 })
  await waitUntil(() => rounds() === 1, { withinMs: 5000 })
  repeating.wakeWithin(20)
  repeating.wakeWithin(50_000)
  await waitUntil(() => rounds() === 2, { withinMs: 5000 })
  await repeating[Symbol.asyncDispose]()
})

test('a round that is requested while another runs comes after it, within the time', async () => {
  const { repeating, rounds } = counted({ everyMs: 60_000 })
  repeating.wakeWithin(20)
  await waitUntil(() => rounds() === 2, { withinMs: 5000 })
  await repeating[Symbol.asyncDispose]()
})

test('a round that comes sooner by itself also counts as the requested one', async () => {
  const { repeating, rounds } = counted({ everyMs: 60_000 })
  await waitUntil(() => rounds() === 1, { withinMs: 5000 })
  repeating.wakeWithin(100)
  await delay(110)
  await waitUntil(() => rounds() === 2, { withinMs: 5000 })
  await delay(150)
  expect(rounds()).toBe(2)
  await repeating[Symbol.asyncDispose]()
})
