import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  Installation,
  processNames,
  type ProcessName,
} from '../../harness/installation/installation.ts'
import type { Answer, TestSession } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { seedOfRun } from '../seed-of-run.ts'
import { chaosProject } from './chaos-project.ts'
import { Facts } from './facts.ts'
import { FaultInjector, type FaultKind } from './fault-injector.ts'
import { readJournal } from './journal.ts'
import { ChaosSurroundings } from './surroundings.ts'
import { isAboutClocks, problemsOfTrail } from './verify-trail.ts'

const faults = Number(process.env['CHAOS_FAULTS'] ?? '1000')
/**
 * In each round, which is one run with one decision: a kill at an awkward moment, and others
 * whenever they come.
 */
const faultsARound = 12
const rounds = Math.ceil(faults / faultsARound)
const lanes = 6
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

type Disturbance = Exclude<FaultKind, 'kill'>

/** What becomes of one run. */
interface Plan {
  readonly victim: ProcessName
  readonly moment: Moment
  /** how long after the decision was sent `before_commit` is */
  readonly beforeCommitMs: number
  readonly disturbances: readonly PlannedDisturbance[]
}

interface PlannedDisturbance {
  readonly kind: Disturbance
  readonly afterMs: number
  /** of what the injector chooses: where, and for how long */
  readonly seed: number
}

interface World {
  readonly installation: Installation
  readonly facts: Facts
  readonly injector: FaultInjector
  readonly ada: TestSession
  readonly grace: TestSession
}

/**
 * Every process killed at every moment, equally often, and the other faults, in an order that the
 * seed chose.
 */
function plan(choose: Choices, kinds: readonly Disturbance[]): Plan[] {
  const all = moments.flatMap((moment) => processNames.map((victim) => ({ victim, moment })))
  const disturb = (place: number): PlannedDisturbance => ({
    kind: kinds[place % kinds.length] ?? 'stop',
    afterMs: choose.number(2500),
    seed: choose.number(2 ** 32),
  })
  return Array.from({ length: rounds }, (_, round) => ({
    ...all[round % all.length]!,
    beforeCommitMs: choose.number(12),
    disturbances: Array.from({ length: faultsARound - 1 }, (_none, index) =>
      disturb(round * (faultsARound - 1) + index),
    ),
  }))
    .map((value) => ({ value, place: choose.number(1e9) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ value }) => value)
}

async function playRound(world: World, { victim, moment, ...planned }: Plan): Promise<Round> {
  const disturbing = Promise.all(
    planned.disturbances.map(async ({ kind, afterMs, seed }) => {
      await delay(afterMs)
      await world.injector.disturb(kind, seededChoices(seed))
    }),
  )
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
    if (moment === 'before_commit') await delay(planned.beforeCommitMs)
    else await reach(world, moment, answer, request.call_id)
    return { answer }
  })
  await disturbing
  return { runId, answer: await deciding.answer }
}

async function reach(
  world: World,
  moment: Exclude<Moment, 'before_commit'>,
  answer: Promise<Answer>,
  callId: string,
): Promise<void> {
  switch (moment) {
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

/**
 * Looks as often as it can; a moment that does not come (something else is still down) is given up.
 */
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
    const settled = await world.grace.postUntilAnswered(
      `/v1/requests/${check.id}/settle`,
      { ran, then: 'continue', reason: 'looked into the journal' },
      answeredWithinMs,
    )
    expect([200, 409]).toContain(settled.status)
  }
  return checks.length
}

/**
 * The disturbed ways share this process's core: on a machine that is busy they may be late from the
 * first.
 */
async function signedIn(installation: Installation, email: string): Promise<TestSession> {
  let session: TestSession | null = null
  await waitUntil(
    async () => {
      session = await installation.signIn(email).catch(() => null)
      return session !== null || `${email} is not signed in`
    },
    { withinMs: answeredWithinMs, everyMs: 500 },
  )
  return session as unknown as TestSession
}

/** What the log of a process has of its ends: what is no line of JSON, and what is fatal. */
async function lastWords({ dataDir }: Installation, name: ProcessName): Promise<string> {
  const log = await readFile(join(dataDir, 'logs', `${name}.log`), 'utf8').catch(() => '')
  const lines = log.split('\n').filter((line) => !line.startsWith('{') || line.includes('"fatal"'))
  return `${name} ended by itself: ${lines.join('\n').slice(-4000)}`
}

/** Full disks take a file system of their own. */
function kindsWith(disk: boolean): Disturbance[] {
  const kinds: Disturbance[] = ['stop', 'lost', 'stall', 'slow', 'stop', 'lost', 'clock']
  if (disk) return [...kinds, 'disk']
  console.info('chaos: no full disks, since this machine permits no mount: the others come instead')
  return kinds
}

describe('kills at chosen moments, stops, lost and slow connections, clock steps and full disks', () => {
  it(`lose no decision, run no call twice, and every run ends, in ${faults} faults`, async () => {
    const choose = seededChoices(seedOfRun())
    await using around = await ChaosSurroundings.make()
    await using installation = await Installation.start(chaosProject(), around)
    await using facts = new Facts(await installation.databaseUrl())
    const world: World = {
      installation,
      facts,
      injector: new FaultInjector(installation, around),
      ada: await signedIn(installation, 'ada@example.com'),
      grace: await signedIn(installation, 'grace@example.com'),
    }
    const { injector } = world
    const queue = plan(choose, kindsWith(around.disk !== null))
    const played: Round[] = []
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          played.push(await playRound(world, next))
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
    // A server whose disk is full may end, as Postgres does when it cannot write what it committed.
    const { killed, ended, counts } = injector
    for (const name of processNames) {
      const mayEnd = counts.disk > 0 && ['postgres', 'temporal'].includes(name)
      if (mayEnd) expect(ended[name], name).toBeGreaterThanOrEqual(killed[name])
      else expect(ended[name], await lastWords(installation, name)).toBe(killed[name])
    }
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
      else
        expect(
          call.settled || call.state === 'failed',
          `what never ran failed or was looked into by a person: ${JSON.stringify(call)}`,
        ).toBe(true)
      if (call.settled) expect(call.started, 'unknown only where it had started').toBe(true)
    }
    expect((await problemsOfTrail(world.grace)).filter((one) => !isAboutClocks(one))).toEqual([])
    const unknown = calls.filter((call) => call.settled).length
    const decisions = calls.reduce((sum, call) => sum + call.decisions, 0)
    console.log(
      `chaos: ${Object.values(counts).reduce((sum, count) => sum + count, 0)} faults ${JSON.stringify(counts)}, ` +
        `killed ${JSON.stringify(killed)}; ${played.length} runs, ${decisions} decisions, ` +
        `${unknown} executions unknown and settled, ${rounds - decisions} lost, ${twice.length} doubled`,
    )
  })
})
