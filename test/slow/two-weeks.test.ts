import { expect, test } from 'vitest'
import { endOfLife } from '../harness/team-life/end-of-life.ts'
import { liveOn } from '../harness/team-life/live-on.ts'
import { takeStep } from '../harness/team-life/take-step.ts'
import { hours, openTeamLife } from '../harness/team-life/team-life.ts'
import { rowsOf } from '../harness/fixtures/rows.ts'

/** Which steps are taken; another one takes others. A failure is told with it. */
const seed = Number(process.env['TEAM_LIFE_SEED'] ?? '20261122')

// Rules: product.md 7, 8, 12, 13, 14, 17, 18, 20, 28, 29
test('two weeks of a team, with outages, on a fake clock and a stand-in for Temporal: nothing is lost, doubled or decided by the wrong people', async () => {
  await using life = await openTeamLife(30)
  const taken = await liveOn(life, {
    seed,
    forMs: hours(14 * 24),
    maxSteps: 2000,
    judgeEvery: 10,
  })
  expect(taken).toBeGreaterThan(500)
  await askWithoutAnswer()
  await endOfLife(life)
  const counts = await requestsByState()
  console.log(`two weeks: seed ${seed}, ${taken} steps, ${JSON.stringify(counts)}`)
  for (const state of ['approved', 'denied', 'expired']) {
    expect(counts[state] ?? 0, state).toBeGreaterThan(0)
  }
  const begun = await runsByStart()
  console.log(`two weeks: ${JSON.stringify(begun)}`)
  for (const count of Object.values(begun)) expect(count).toBeGreaterThan(0)

  /** Whatever was decided in the two weeks, something waits at their end, which nobody decides. */
  async function askWithoutAnswer(): Promise<void> {
    life.temporal.isDown = false
    for (let who = 0; ((await requestsByState())['pending'] ?? 0) === 0; who += 1) {
      expect(who, 'no run asks anything').toBeLessThan(100)
      await takeStep(life, { do: 'a run starts', who, which: who, amount: who })
    }
  }

  async function runsByStart() {
    const runs = await rowsOf(
      life.db,
      'run',
      {},
      'rest_for_seconds',
      'forked_from',
      'started_from',
      'turn',
    )
    return {
      conversations: runs.filter((run) => run.rest_for_seconds !== null && run.turn > 2).length,
      forks: runs.filter((run) => run.forked_from !== null).length,
      scheduled: runs.filter((run) => run.started_from !== null).length,
    }
  }

  async function requestsByState(): Promise<Record<string, number>> {
    const rows = await life.db
      .selectFrom('request')
      .select(({ fn }) => ['state', 'kind', fn.countAll<string>().as('count')])
      .groupBy(['state', 'kind'])
      .execute()
    const counts: Record<string, number> = {}
    for (const { state, kind, count } of rows) {
      const name = kind === 'tool_call' ? state : kind
      counts[name] = (counts[name] ?? 0) + Number(count)
    }
    return counts
  }
})
