import { expect, test } from 'vitest'
import { endOfLife } from '../harness/team-life/end-of-life.ts'
import { liveOn } from '../harness/team-life/live-on.ts'
import { hours, openTeamLife } from '../harness/team-life/team-life.ts'

/** Which steps are taken; another one takes others. A failure is told with it. */
const seed = Number(process.env['TEAM_LIFE_SEED'] ?? '20261122')

// Rules: product.md 7, 12, 13, 17, 18
test('random hours of a team, with outages, on a fake clock and a stand-in for Temporal: nothing is lost, doubled or decided by the wrong people', async () => {
  await using life = await openTeamLife(12)
  const taken = await liveOn(life, { seed, forMs: hours(72), maxSteps: 32, judgeEvery: 2 })
  expect(taken).toBeGreaterThan(3)
  await endOfLife(life)
})
