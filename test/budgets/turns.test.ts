import { expect, it } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { filesForLongRuns, turnCosts } from '../harness/fixtures/turn-costs.ts'

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate(filesForLongRuns)

it('turn 200 asks as many queries as turn 2, reads at most half as much again, and sends the model all', async () => {
  const costs = await turnCosts(desk, [2, 50, 200])
  const [second, fiftieth, last] = [2, 50, 200].map((turn) => costs.get(turn))
  if (second === undefined || last === undefined) throw new Error('a turn was not measured')
  expect([second.messages, last.messages]).toEqual([3, 1 + 2 * 199])
  expect(last.queries).toBe(second.queries)
  for (const turn of [fiftieth, last]) {
    expect(turn?.bytesRead).toBeLessThanOrEqual(1.5 * second.bytesRead)
  }
})
