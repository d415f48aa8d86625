import { expect, test } from 'vitest'
import { nextBackOff, noFailures } from './back-off.ts'

test('the pause doubles with every failure, up to ten seconds', () => {
  let backOff = noFailures
  const pauses: number[] = []
  for (let failure = 0; failure < 8; failure += 1) {
    const next = nextBackOff(backOff, 10)
    pauses.push(next.waitMs)
    backOff = next.after
  }
  expect(pauses).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
})

test('who served ten seconds starts from the beginning', () => {
  expect(nextBackOff({ failures: 7 }, 10_000).waitMs).toBe(200)
})
