import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'

const schedules = `schedules:
  minutely: { worker: counted, input: Count, cron: "* * * * *", as: ada@example.com }
`

const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject(
      {
        stale: [{ calls: [aWrite('notes/old.md'), aWrite('notes/after.md')] }],
        counted: [{ text: 'Counted.' }],
        acting: [{ calls: [{ tool: 'act', input: { how: 'wait' } }] }, { text: 'Done.' }],
        gated_whole: [
          { calls: [{ tool: 'write_file', input: { path: 'free/gated.md', content: 'x' } }] },
        ],
        gated_briefly: [
          { calls: [{ tool: 'write_file', input: { path: 'free/brief.md', content: 'x' } }] },
        ],
        patient: [{ calls: [aWrite('notes/patient.md')] }, { calls: [aWrite('notes/second.md')] }],
      },
      {},
      schedules,
    ),
  ),
)

// Rules: product.md 14
describe('a file that changes between opening and execution', () => {
  test('refuses the approved call as stale, keeps what was written, asks afresh, and the fresh approval runs once', async () => {
    const runId = await world.startRun('stale')
    const [first, second] = await world.waiting(runId, 2)
    if (first === undefined || second === undefined) throw new Error('two calls wait')
    await writeFile(join(world.installation.folder, 'notes', 'old.md'), 'of a colleague\n')
    await world.decide(second)
    expect(await world.decide(first)).toMatchObject({ status: 200, body: { state: 'approved' } })
    const fresh = await world.onlyWaiting(runId)
    expect(fresh).toMatchObject({ callId: first.callId, digest: first.digest })
    const grace = await world.as('grace')
    expect((await grace.get(`/v1/requests/${first.id}`)).body).toMatchObject({
      state: 'approved',
      supersededBy: fresh.id,
      execution: { state: 'refused', reason: 'stale' },
    })
    expect((await grace.get(`/v1/requests/${fresh.id}`)).body).toMatchObject({
      state: 'pending',
      previous: [{ requestId: first.id, state: 'approved' }],
      presentation: { content: expect.stringContaining('-of a colleague') },
    })
    expect(await world.read('notes/old.md')).toBe('of a colleague\n')
    expect(await world.read('notes/after.md')).toBeNull()
    expect(await world.audit(runId)).toContain('execution.refused')
    expect(await world.decide(fresh)).toMatchObject({ status: 200 })
    await world.untilRun(runId, 'completed')
    expect(await world.read('notes/old.md')).toBe('new\n')
    expect(await world.calls(runId)).toMatchObject([
      { execution: 'succeeded', attempts: 2 },
      { execution: 'succeeded', attempts: 1 },
    ])
  }, 240_000)
})

describe('a run that waits', () => {
  test('goes on after a restart of everything, where it stood', async () => {
    const runId = await world.startRun('patient')
    const request = await world.onlyWaiting(runId)
    const gated = await world.startRun('gated_whole')
    const start = await world.onlyWaiting(gated)
    await world.restart()
    expect(await world.onlyWaiting(runId)).toEqual(request)
    expect(await world.onlyWaiting(gated)).toEqual(start)
    expect(await world.read('free/gated.md')).toBeNull()
    expect(await world.decide(start)).toMatchObject({ status: 200 })
    await world.untilRun(gated, 'completed')
    expect(await world.read('free/gated.md')).toBe('x')
    expect(await world.decide(request)).toMatchObject({ status: 200 })
    await world.untilSql('select turn from run where id = $1', [runId], 2)
    await world.decide(await world.onlyWaiting(runId))
    await world.untilRun(runId, 'completed')
    expect((await world.calls(runId)).map((call) => [call.execution, call.attempts])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ])
  }, 240_000)
})

// Rules: product.md 14
test('a Temporal worker that is killed between an effect and the storing of the next turn repeats neither', async () => {
  const runId = await world.startRun('acting')
  const request = await world.onlyWaiting(runId)
  const outside = new pg.Client({ connectionString: await world.installation.databaseUrl() })
  await outside.connect()
  try {
    // The execution writes no message: the turn that its activity takes is the first that waits.
    await outside.query('begin; lock table message in share row exclusive mode')
    expect(await world.decide(request)).toMatchObject({ status: 200 })
    await world.untilSql(
      `select result_type from tool_call where id = $1`,
      [request.callId],
      'output',
    )
    await world.untilSql(
      `select count(*)::int from pg_locks where relation = 'message'::regclass and not granted`,
      [],
      1,
    )
    expect(await world.pendingActivities(runId)).toEqual(['executeCall'])
    const gone = await world.installation.killNine('temporal-worker')
    await outside.query('rollback')
    await world.installation.untilBack('temporal-worker', gone)
  } finally {
    await outside.end()
  }
  await world.untilRun(runId, 'completed')
  const journal = (await world.read('journal.txt')) ?? ''
  expect(journal.match(/^begin /gm)).toHaveLength(1)
  expect(journal.match(/^end /gm)).toHaveLength(1)
  expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])
  expect(
    await world.sql(
      `select turn, (select count(*)::int from turn_attempt where run_id = $1
         and turn_attempt.turn = message.turn) as attempts
       from message where run_id = $1 and role = 'assistant' order by turn`,
      [runId],
    ),
  ).toEqual([
    { turn: 1, attempts: 1 },
    { turn: 2, attempts: 2 },
  ])
}, 240_000)

// Rules: product.md 45
describe('a run whose start asks', () => {
  test('is cancelled by its timer when nobody decides, and at once by a denial', async () => {
    const expiring = await world.startRun('gated_briefly')
    const denied = await world.startRun('gated_whole')
    await world.decide(await world.onlyWaiting(denied), { decision: 'deny' })
    const failure = (runId: string, code: string) =>
      world.untilSql(`select failure->>'code' from run where id = $1`, [runId], code)
    await failure(denied, 'start_denied')
    await failure(expiring, 'start_expired')
    await world.untilRun(expiring, 'cancelled')
    expect(await world.read('free/brief.md')).toBeNull()
    expect(
      await world.sql('select from turn_attempt where run_id = any($1)', [[expiring, denied]]),
    ).toEqual([])
  }, 240_000)
})

describe('a changed project', () => {
  test('whose API is killed between the change and its activation takes force once, when the API is back', async () => {
    const path = 'workers/patient.md'
    const changed = (await world.read(path))?.replace(/^description: .*$/m, 'description: Changed')
    const activations = () =>
      world.sql<{ digest: string; audited: number }>(
        `select digest, (select count(*)::int from audit_event where type = 'policy.activated') as audited
         from policy_activation order by sequence`,
      )
    const before = await activations()
    const holder = new pg.Client(await world.installation.databaseUrl())
    await holder.connect()
    try {
      await holder.query('select pg_advisory_lock($1)', [advisoryLocks.activation])
      await writeFile(join(world.installation.folder, path), changed ?? '')
      await waitUntil(async () => {
        const waiting = await world.sql(
          `select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
          [advisoryLocks.activation],
        )
        return waiting.length === 1 || 'the change was not noticed'
      })
      expect(await activations()).toEqual(before)
      const gone = await world.installation.killNine('api')
      await holder.end()
      await world.installation.untilBack('api', gone)
    } finally {
      await holder.end()
    }
    const after = await activations()
    expect(after.map((one) => one.audited)).toEqual(after.map(() => before.length + 1))
    expect(after.slice(0, -1).map((one) => one.digest)).toEqual(before.map((one) => one.digest))
    const [version] = await world.sql<{ document: unknown }>(
      'select document from policy_version where digest = $1',
      [after.at(-1)?.digest],
    )
    expect(JSON.stringify(version?.document)).toContain('description: Changed')
  }, 240_000)
})

describe('a schedule', () => {
  test('starts one run for a time of Temporal’s, and one when somebody triggers it', async () => {
    const count = `select count(*)::int from run where started_from = 'schedule:minutely'`
    await world.untilSql(`select (${count}) > 0`, [], true, 100_000)
    const started = await world.sql<{ starter: string; state: string }>(
      `select person.email as starter from run join person on person.id = run.started_by
       where started_from = 'schedule:minutely'`,
    )
    expect(new Set(started.map(({ starter }) => starter))).toEqual(new Set(['ada@example.com']))
    const twice = await world.sql(
      `select from run where started_from = 'schedule:minutely'
       group by date_trunc('minute', created_at) having count(*) > 1`,
    )
    expect(twice).toEqual([])
    const olga = await world.as('olga')
    expect((await olga.get('/v1/schedules')).body).toMatchObject({
      items: [{ name: 'minutely', paused: false, lastRun: { number: expect.any(Number) } }],
    })
    expect(await olga.post('/v1/schedules/minutely/trigger', {})).toMatchObject({
      status: 201,
      body: { startedBy: { name: 'Ada' } },
    })
  }, 240_000)
})
