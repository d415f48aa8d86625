import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  Installation,
  processNames,
  type ProcessName,
} from '../../harness/installation/installation.ts'
import type { Answer, TestSession } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { chaosProject } from './chaos-project.ts'
import { Facts } from './facts.ts'
import { FaultInjector } from './fault-injector.ts'
import { readJournal } from './journal.ts'

const rounds = Number(process.env['CHAOS_ROUNDS'] ?? '200')
const lanes = 3
/** However slowly what was killed comes back. */
const answeredWithinMs = 240_000
const moments = [
  'before_commit',
  'after_commit',
  'after_started',
  'during_tool',
  'before_result',
] as const
type Moment = (typeof moments)[number]

interface Round {
  readonly runId: string
  readonly answer: Answer
}

interface World {
  readonly installation: Installation
  readonly facts: Facts
  readonly injector: FaultInjector
  readonly ada: TestSession
  readonly grace: TestSession
}

/** Every process at every moment, equally often, in an order that nobody chose. */
function plan(): { victim: ProcessName; moment: Moment }[] {
  const all = moments.flatMap((moment) => processNames.map((victim) => ({ victim, moment })))
  return Array.from({ length: rounds }, (_, round) => all[round % all.length]!)
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ value }) => value)
}

async function playRound(world: World, victim: ProcessName, moment: Moment): Promise<Round> {
  const started = await world.ada.postUntilAnswered(
    '/v1/runs',
    { worker: 'clerk', input: 'go' },
    answeredWithinMs,
  )
  expect(started.status).toBe(201)
  const runId = started.body['id'] as string
  const request = await waitUntilFound(() => world.facts.pendingOf(runId))
  const decide = (): Promise<Answer> =>
    world.grace.postUntilAnswered(
      `/v1/requests/${request.id}/decisions`,
      { decision: 'approve', digest: request.digest, revision: 1 },
      answeredWithinMs,
    )
  const deciding = await world.injector.killAt(victim, async () => {
    const answer = decide()
    await reach(world, moment, answer, request.call_id)
    return { answer }
  })
  return { runId, answer: await deciding.answer }
}

async function reach(
  world: World,
  moment: Moment,
  answer: Promise<Answer>,
  callId: string,
): Promise<void> {
  switch (moment) {
    case 'before_commit':
      await delay(Math.random() * 12)
      return
    case 'after_commit':
      await answer
      return
    case 'after_started':
      await briefly(() => world.facts.hasStarted(callId))
      return
    case 'during_tool':
      await briefly(async () => (await readJournal(world.installation.folder)).begun.has(callId))
      return
    case 'before_result':
      await briefly(async () => (await readJournal(world.installation.folder)).ended.has(callId))
      return
  }
}

/** Looks as often as it can; a moment that does not come (something else is still down) is given up. */
async function briefly(reached: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000
  while (performance.now() < deadline && !(await reached())) await delay(2)
}

async function waitUntilFound<T>(find: () => Promise<T | null>): Promise<T> {
  let found: T | null = null
  await waitUntil(
    async () => {
      found = await find()
      return found !== null || 'no request was opened'
    },
    { withinMs: answeredWithinMs },
  )
  return found as T
}

/** Grace looks after what nobody knows: the journal says whether it ran. */
async function settleChecks(world: World): Promise<number> {
  const list = await world.grace.get('/v1/requests?state=pending&limit=200').catch(() => null)
  const checks = (
    (list?.body['items'] ?? []) as { id: string; kind: string; callId: string }[]
  ).filter((item) => item.kind === 'outcome_check')
  const journal = await readJournal(world.installation.folder)
  for (const check of checks) {
    const ran = journal.ended.has(check.callId)
    const settled = await world.grace.post(`/v1/requests/${check.id}/settle`, {
      ran,
      then: 'continue',
      reason: 'looked into the journal',
    })
    expect([200, 409]).toContain(settled.status)
  }
  return checks.length
}

describe('kill -9 of every process at every awkward moment', () => {
  it(`loses no decision, runs no call twice, and ends every run, in ${rounds} rounds`, async () => {
    await using installation = await Installation.start(chaosProject())
    await using facts = new Facts(await installation.databaseUrl())
    const world: World = {
      installation,
      facts,
      injector: new FaultInjector(installation),
      ada: await installation.signIn('ada@example.com'),
      grace: await installation.signIn('grace@example.com'),
    }
    const queue = plan()
    const played: Round[] = []
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          played.push(await playRound(world, next.victim, next.moment))
        }
      }),
    )
    expect(played).toHaveLength(rounds)
    expect(played.filter((round) => round.answer.status !== 200)).toEqual([])

    await waitUntil(
      async () => {
        await settleChecks(world)
        const open = await facts.rows<{ id: string; state: string }>(
          'select id, state from run where ended_at is null',
        )
        const all = await facts.rows('select 1 from run')
        return (
          (all.length >= rounds && open.length === 0) || `open: ${JSON.stringify(open.slice(0, 5))}`
        )
      },
      { withinMs: 480_000, everyMs: 500 },
    )

    // Nobody dies of another's death: what was not killed goes on, however long the other is away.
    expect(world.injector.ended).toEqual(world.injector.killed)
    const journal = await readJournal(installation.folder)
    const twice = [...journal.begun].filter(([, times]) => times > 1)
    expect(twice, 'calls that ran twice').toEqual([])
    const calls = await facts.calls()
    expect(calls).toHaveLength(rounds)
    for (const call of calls) {
      expect(call, 'one decision each, none lost').toMatchObject({
        requestState: 'approved',
        decisions: 1,
      })
      expect(call.result, 'every call has a result').not.toBeNull()
      const begun = journal.begun.has(call.callId)
      if (begun)
        expect(call, 'what ran has an attempt').toMatchObject({ attempts: 1, started: true })
      else expect(call.settled, 'what never ran was looked into by a person').toBe(true)
      if (call.settled) expect(call.started, 'unknown only where it had started').toBe(true)
    }
    const unknown = calls.filter((call) => call.settled).length
    console.log(
      `chaos: ${rounds} rounds, killed ${JSON.stringify(world.injector.killed)}, ${unknown} unknown and settled`,
    )
  })
})
