import { expect, test } from 'vitest'
import { answeredFinding } from './check.ts'

test('a server that answers late is slow, not away', () => {
  expect(answeredFinding('temporal', 'Temporal at x', 100)).toMatchObject({ state: 'ok' })
  expect(answeredFinding('temporal', 'Temporal at x', 6_500)).toMatchObject({
    state: 'warning',
    found: 'Temporal at x, but it took 6.5 s to answer',
  })
})
