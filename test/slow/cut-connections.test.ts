import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from '../faults/fault-project.ts'
import { FaultWorld } from '../faults/fault-world.ts'

const turns = 12
const workers = ['one', 'two', 'three'] as const

/** Each turn writes a file of its own, so that an effect that is missing or lost is seen. */
const script = (name: string) =>
  Array.from({ length: turns }, (_, turn) => ({ calls: [aWrite(`notes/${name}-${turn}.md`)] }))

const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject(Object.fromEntries(workers.map((name) => [name, script(name)]))),
  ),
)

interface Backend {
  readonly pid: number
  readonly application: string
}

/** Connections of the service to its database, not those of this test. */
function backends(): Promise<Backend[]> {
  return world.sql<Backend & Record<string, unknown>>(
    `select pid, application_name as application from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'
       and application_name <> 'test'`,
  )
}

/** Approves what waits, as a careful client does, until all runs are over. */
async function approveAll(runIds: readonly string[]): Promise<readonly string[]> {
  const approved: string[] = []
  const grace = await world.as('grace')
  await waitUntil(
    async () => {
      const waiting = await world
        .sql<{ id: string; digest: string; revision: number }>(
          `select id, digest, revision from request where state = 'pending' and run_id = any($1)`,
          [runIds],
        )
        .catch(() => [])
      for (const { id, digest, revision } of waiting) {
        const body = { decision: 'approve', digest, revision }
        const answer = await grace.postUntilAnswered(`/v1/requests/${id}/decisions`, body, 120_000)
        expect(answer).toMatchObject({ status: 200, body: { state: 'approved' } })
        approved.push(id)
      }
      const rows = await world
        .sql<{ state: string }>(`select state from run where id = any($1)`, [runIds])
        .catch(() => [])
      return (
        (rows.length === runIds.length && rows.every(({ state }) => state === 'completed')) ||
        `${JSON.stringify(rows)}, ${approved.length} approved`
      )
    },
    { withinMs: 400_000, everyMs: 50 },
  )
  return approved
}

/** What was decided, permitted, carried out and recorded: each once. */
async function expectOnceEach(runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const calls = await world.calls(runId)
    expect(calls).toHaveLength(turns)
    for (const call of calls) {
      expect(call).toMatchObject({ result: 'output', execution: 'succeeded', attempts: 1 })
    }
    const counts = await world.sql(
      `select count(*)::int as requests,
         (select count(*)::int from decision d join request r on r.id = d.request_id
          where r.run_id = $1) as decisions
       from request where run_id = $1`,
      [runId],
    )
    expect(counts).toEqual([{ requests: turns, decisions: turns }])
    const trail = await world.audit(runId)
    const count = (type: string): number => trail.filter((one) => one === type).length
    for (const type of [
      'request.opened',
      'decision.recorded',
      'permit.issued',
      'permit.consumed',
      'execution.started',
      'execution.finished',
    ]) {
      expect([type, count(type)]).toEqual([type, turns])
    }
    expect(count('run.ended')).toBe(1)
  }
}

/**
 * Reads the live stream of a person as a browser does, which connects again with the last id it
 * has, until it is told that it was enough. Answers what it has read.
 */
function watch(name: string, enough: AbortSignal): { readonly text: () => string } {
  let text = ''
  const readOnce = async (): Promise<void> => {
    const last = /.*^id: ?(\d+)$/ms.exec(text)?.[1]
    const headers = last === undefined ? {} : { 'last-event-id': last }
    const response = await (await world.as(name)).open('/v1/events', headers)
    if (response.status !== 200 || response.body === null) return
    const decoder = new TextDecoder()
    for await (const part of response.body) {
      text += decoder.decode(part, { stream: true })
      if (enough.aborted) return
    }
  }
  void (async () => {
    while (!enough.aborted) {
      await readOnce().catch(() => undefined)
      await delay(200)
    }
  })()
  return { text: () => text }
}

const processNames = ['api', 'temporal-worker'] as const

function processes(): Promise<readonly number[]> {
  return Promise.all(processNames.map((name) => world.installation.pidOf(name)))
}

/** Runs of all workers are decided and carried out while something goes wrong, again and again. */
async function whileItGoesWrong(disturb: () => Promise<void>): Promise<void> {
  const before = await processes()
  const enough = new AbortController()
  const stream = watch('grace', enough.signal)
  const runIds = await Promise.all(workers.map((name) => world.startRun(name)))
  const over = new AbortController()
  const disturbing = (async () => {
    while (!over.signal.aborted) await disturb()
  })()
  const approved = await approveAll(runIds).finally(() => over.abort())
  await disturbing
  expect(approved).toHaveLength(turns * workers.length)
  await expectOnceEach(runIds)
  // Undeliverable is a signal that comes after its run has ended: sent before, or needed no more.
  const open =
    'select count(*)::int from outbox where delivered_at is null and undeliverable_at is null'
  await world.untilSql(open, [], 0)
  for (const id of approved) {
    await waitUntil(() => stream.text().includes(id) || `nothing of ${id} came`, {
      withinMs: 30_000,
    })
  }
  enough.abort()
  expect(await processes()).toEqual(before)
}

// Rules: security.md 42; product.md 18
describe('each decision counts once, each call runs once, nothing announced is missed, and every process goes on', () => {
  test('while Postgres ends each connection of the service, one after the other: queries, locks and notifications', async () => {
    const cut = new Set<string>()
    await whileItGoesWrong(async () => {
      for (const { pid, application } of await backends()) {
        await world.sql('select pg_terminate_backend($1)', [pid])
        cut.add(application)
        await delay(150)
      }
    })
    expect([...cut].toSorted()).toEqual([
      'countersign api',
      'countersign notifications',
      'countersign temporal-worker',
    ])
  }, 600_000)

  test('while Postgres is stopped at once (immediate mode) and starts again', async () => {
    let stopped = 0
    await whileItGoesWrong(async () => {
      if (stopped >= 3) return delay(100)
      await delay(500)
      const pid = await world.installation.pidOf('postgres')
      process.kill(pid, 'SIGQUIT')
      await world.installation.untilBack('postgres', pid)
      stopped += 1
    })
    expect(stopped).toBe(3)
  }, 600_000)
})
