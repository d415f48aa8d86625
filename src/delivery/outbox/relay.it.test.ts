import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addKey, addPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { Interruptible } from '#test/harness/outages/interruptible.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { useTemporal } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import type { ForeignNamespaceError } from '#services/installation/remember-namespace.ts'
import { openExternal } from '#services/external/open-external.ts'
import { lockRun } from '#services/core/locks.ts'
import { inUnitOfWork } from '#services/core/unit-of-work.ts'
import type { OutboxRow } from '#store/records/outbox.ts'
import { toJsonb } from '#store/database.ts'
import { writeRecords } from '#store/records/records.ts'
import { NamespaceGuard } from '../namespace-guard.ts'
import { DeliveredMarks } from './lease-rows.ts'
import { Relay } from './relay.ts'
import { connectTemporal, type TemporalClient } from '../temporal-client.ts'
import type { SystemContext } from '#services/core/context.ts'
import { bySystem, reconciler } from '#services/core/authority.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const temporal = await useTemporal()
const ada = await addPerson(service.db, 'Ada', [])

interface TestRelay extends AsyncDisposable {
  readonly relay: Relay
  readonly client: TemporalClient
  readonly foreign: ForeignNamespaceError[]
}

function startRelay(
  address = temporal.address,
  processId = 'test',
  quietRoundEveryMs = 10_000,
  db = service.db,
  admit: (runId: string) => Promise<boolean> = async () => true,
): TestRelay {
  const client = connectTemporal({ address, namespace: temporal.namespace })
  const foreign: ForeignNamespaceError[] = []
  const guard = new NamespaceGuard({ db: service.db, temporal: client })
  const relay = new Relay({
    delivering: {
      db,
      temporal: client,
      guard,
      taskQueue: temporal.taskQueue,
      admit,
    },
    databaseUrl: database.url,
    processId,
    log: service.ctx.log,
    foreignNamespace: (error) => foreign.push(error),
    quietRoundEveryMs,
  })
  return {
    relay,
    client,
    foreign,
    async [Symbol.asyncDispose]() {
      await relay[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
    },
  }
}

/** Commits rows as a verb does, for any relay to take. */
async function commit(run: TestRun, ...rows: Omit<OutboxRow, 'runId'>[]): Promise<void> {
  const outbox = rows.map((row) => ({ ...row, runId: run.id }))
  await service.db.transaction().execute((tx) => writeRecords(tx, { outbox }, null))
}

/** Until the first round has ended: the next one begins after the whole interval. */
async function untilQuiet(): Promise<TestRun> {
  const run = await addRun(service, { startedBy: ada })
  await commit(run, start)
  await waitUntil(async () => (await undelivered(run)) === 0)
  return run
}

async function undelivered(run: Pick<TestRun, 'id'>): Promise<number> {
  const rows = await service.db
    .selectFrom('outbox')
    .select('id')
    .where('run_id', '=', run.id)
    .where('delivered_at', 'is', null)
    .where('undeliverable_at', 'is', null)
    .execute()
  return rows.length
}

async function signalsOf(client: TemporalClient, workflowId: string): Promise<unknown[][]> {
  const history = await client.client.workflow.getHandle(workflowId).fetchHistory()
  return (history.events ?? []).flatMap((event) => {
    const signal = event.workflowExecutionSignaledEventAttributes
    if (!signal) return []
    const args = (signal.input?.payloads ?? []).map((payload) =>
      JSON.parse(Buffer.from(payload.data ?? []).toString('utf8')),
    )
    return [[signal.signalName, ...args]]
  })
}

/** When the signals of a workflow came, by the server's clock. */
async function signalTimes(client: TemporalClient, workflowId: string): Promise<number[]> {
  const { events } = await client.client.workflow.getHandle(workflowId).fetchHistory()
  return (events ?? []).flatMap(({ eventTime, workflowExecutionSignaledEventAttributes: signal }) =>
    signal ? [Number(eventTime?.seconds) * 1000 + Number(eventTime?.nanos) / 1e6] : [],
  )
}

/** After how many seconds a task that a killed worker had begun goes to another worker. */
async function taskSeconds(client: TemporalClient, workflowId: string): Promise<number> {
  const { events } = await client.client.workflow.getHandle(workflowId).fetchHistory()
  const { workflowTaskTimeout } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {}
  return Number(workflowTaskTimeout?.seconds)
}

const decision = (...requestIds: string[]) =>
  ({ kind: 'signal_decided', payload: { requestIds } }) as const
const start = { kind: 'start_run', payload: {} } as const
const message = { kind: 'signal_messaged', payload: {} } as const

describe('relay', () => {
  it('delivers a run’s rows in order, with decisions that were committed together in one signal, even if a worker dies', async () => {
    const run = await addRun(service, { startedBy: ada })
    await commit(run, start, decision('a'), decision('b', 'c'), message, decision('d'))
    await using relay = startRelay()
    await waitUntil(async () => (await undelivered(run)) === 0)
    expect(await signalsOf(relay.client, `run-${run.id}`)).toEqual([
      ['decided', ['a', 'b', 'c']],
      ['messaged'],
      ['decided', ['d']],
    ])
    expect(await taskSeconds(relay.client, `run-${run.id}`)).toBe(5)
  })

  it('keeps the order of rows when four relays race for them', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => addRun(service, { startedBy: ada })))
    await Promise.all(runs.map((run) => commit(run, start)))
    const relays = ['one', 'two', 'three', 'four'].map((id) => startRelay(undefined, id))
    try {
      for (let round = 0; round < 5; round += 1) {
        await Promise.all(runs.map((run) => commit(run, decision(`${round}`), message)))
      }
      await waitUntil(async () =>
        (await Promise.all(runs.map(undelivered))).every((left) => left === 0),
      )
      for (const run of runs) {
        const ids = (await signalsOf(relays[0]!.client, `run-${run.id}`)).flatMap(([name, ids]) =>
          name === 'decided' ? (ids as string[]) : [],
        )
        // A row may be sent twice; its first time is never before that of an earlier row.
        expect([...new Set(ids)]).toEqual(['0', '1', '2', '3', '4'])
      }
    } finally {
      await Promise.all(relays.map((relay) => relay[Symbol.asyncDispose]()))
    }
  })

  it('signals a decision once before its commit, and again after it only if the first signal failed', async () => {
    await using relay = startRelay()
    const startedRun = await addRun(service, { startedBy: ada })
    const missing = await addRun(service, { startedBy: ada })
    await commit(startedRun, start)
    await waitUntil(async () => (await undelivered(startedRun)) === 0)
    for (const run of [startedRun, missing]) {
      const workflowId = `run-${run.id}`
      const ctx: SystemContext = {
        ...service.ctx,
        processId: 'test',
        outboxAnnounced: (announced) => relay.relay.announce(announced),
        outboxCommitted: (rows) => relay.relay.deliver(rows),
      }
      await inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
        await lockRun(unit.tx, run.id)
        unit.announce({ runId: run.id, workflowId, requestIds: ['a'] })
        await unit.enqueue({ ...decision('a'), runId: run.id })
      })
      await waitUntil(async () => (await undelivered(run)) === 0)
    }
    expect(await signalsOf(relay.client, `run-${startedRun.id}`)).toEqual([['decided', ['a']]])
    // The workflow was started instead: it reads the decisions from the store.
    expect(await signalsOf(relay.client, `run-${missing.id}`)).toEqual([])
  })

  it('signals the rows of a transaction with many requests of programs without reading them again, after those of runs, and marks them together', async () => {
    await addPerson(service.db, 'Linus', ['platform'])
    const program = await addKey(service.db, ada)
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    await using relay = startRelay(undefined, 'test', 600_000, db)
    const ctx: typeof service.ctx = {
      ...service.ctx,
      processId: 'test',
      outboxCommitted: (rows) => relay.relay.deliver(rows),
    }
    const requests: { readonly id: string }[] = []
    for (const externalId of ['one', 'two', 'three', 'four']) {
      const call = { tool: 'deploy', input: {}, externalId }
      requests.push({ id: (await openExternal(ctx, program.caller, call)).requestId })
    }
    const all = async (): Promise<boolean> =>
      (await Promise.all(requests.map(undelivered))).every((left) => left === 0)
    await waitUntil(all)
    const outbox = requests.map(({ id }) => ({ ...decision(id), runId: id }))
    const run = await addRun(service, { startedBy: ada })
    await commit(run, start)
    await waitUntil(async () => (await undelivered(run)) === 0)
    outbox.push({ ...decision('a'), runId: run.id })
    const rows = await service.db
      .transaction()
      .execute((tx) => writeRecords(tx, { outbox }, 'test'))
    const isRound = ({ sql }: LoggedQuery): boolean => sql.includes('"hasOpen"')
    queries.length = 0
    relay.relay.deliver(rows)
    await waitUntil(all)
    const ofRun = await signalTimes(relay.client, `run-${run.id}`)
    const taken = queries.filter((query) => !isRound(query))
    expect(
      taken.every(({ sql }) => sql.includes('delivered_at = clock')),
      textsOf(taken),
    ).toBe(true)
    for (const { id } of requests) {
      expect(await signalsOf(relay.client, `approval:${id}`)).toEqual([['decided', [id]]])
      const times = await signalTimes(relay.client, `approval:${id}`)
      expect(Math.min(...times)).toBeGreaterThan(Math.max(...ofRun))
      expect(await taskSeconds(relay.client, `approval:${id}`)).toBe(5)
    }

    const marks = new DeliveredMarks(db)
    queries.length = 0
    await Promise.all(rows.map((row) => marks.mark([row])))
    expect(queries.filter((query) => !isRound(query)).length, textsOf(queries)).toBe(1)
  })

  it('leaves no effect of a decision that was announced and then rolled back', async () => {
    await using relay = startRelay()
    const run = await addRun(service, { startedBy: ada })
    await commit(run, start)
    await waitUntil(async () => (await undelivered(run)) === 0)
    const delivered: unknown[] = []
    const ctx: SystemContext = {
      ...service.ctx,
      outboxAnnounced: (announced) => relay.relay.announce(announced),
      outboxCommitted: (rows) => void delivered.push(...rows),
    }
    const undone = inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
      await lockRun(unit.tx, run.id)
      unit.announce({ runId: run.id, workflowId: `run-${run.id}`, requestIds: ['a'] })
      await unit.enqueue({ ...decision('a'), runId: run.id })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect([delivered, await undelivered(run)]).toEqual([[], 0])
  })

  it('asks whether a run of another run may start, and starts others without asking', async () => {
    const root = await addRun(service, { startedBy: ada })
    const child = await addRun(service, { startedBy: ada })
    await setRows(service.db, 'run', { id: child.id }, { parent_run_id: root.id })
    const asked: string[] = []
    const admit = async (runId: string): Promise<boolean> => {
      asked.push(runId)
      return false
    }
    await using relay = startRelay(undefined, 'test', 600_000, service.db, admit)
    const outbox = [root, child].map(({ id }) => ({ ...start, runId: id }))
    // Delivered from what the commit returned, and then as another process finds them.
    for (const owner of ['test', null]) {
      const written = await service.db
        .transaction()
        .execute((tx) => writeRecords(tx, { outbox }, owner))
      if (owner !== null) relay.relay.deliver(written)
      await waitUntil(async () => (await undelivered(root)) + (await undelivered(child)) === 0)
    }
    expect(asked).toEqual([child.id, child.id])
    await relay.client.client.workflow.getHandle(`run-${root.id}`).describe()
    const ofChild = relay.client.client.workflow.getHandle(`run-${child.id}`).describe()
    await expect(ofChild).rejects.toThrow(/not found/i)
  })

  it('delivers the rows of a process that died after its commit, woken by the notification of that commit', async () => {
    await using _relay = startRelay(undefined, 'test', 600_000)
    const run = await untilQuiet()
    const outbox = [{ ...message, runId: run.id }]
    await service.db
      .transaction()
      .execute((tx) => writeRecords(tx, { outbox }, 'a process that has died'))
    await waitUntil(async () => (await undelivered(run)) === 0)
  })

  it('keeps of what it delivered only the signals of decisions, for which callers wait', async () => {
    await using _relay = startRelay()
    const run = await untilQuiet()
    await commit(run, message, decision('a'), message)
    await waitUntil(async () => (await undelivered(run)) === 0)
    const left = await rowsOf(service.db, 'outbox', { run_id: run.id }, 'kind', 'delivered_at')
    expect(left).toEqual([{ kind: 'signal_decided', delivered_at: expect.any(Date) }])
  })

  it('finds rows without a notification in its next round', async () => {
    await using _relay = startRelay(undefined, 'test', 500)
    const run = await untilQuiet()
    await service.db
      .insertInto('outbox')
      .values({ run_id: run.id, kind: 'signal_messaged', payload: toJsonb({}) })
      .execute()
    await waitUntil(async () => (await undelivered(run)) === 0)
  })

  it('delivers rows that were committed while Temporal was down, once it is back', async () => {
    const run = await addRun(service, { startedBy: ada })
    await using proxy = await Interruptible.to(temporal.address)
    await proxy.interrupt()
    await using relay = startRelay(proxy.address)
    await commit(run, start, decision('a'))
    await waitUntil(() => !relay.relay.reachable)
    expect(await undelivered(run)).toBe(2)
    await proxy.restore()
    await waitUntil(async () => (await undelivered(run)) === 0)
    expect(await signalsOf(relay.client, `run-${run.id}`)).toEqual([['decided', ['a']]])
  })

  it('starts a missing workflow again, and gives up only if the run has ended', async () => {
    const [going, ended] = [
      await addRun(service, { startedBy: ada }),
      await addRun(service, { startedBy: ada }),
    ]
    await setRows(service.db, 'run', { id: ended.id }, { state: 'cancelled', ended_at: new Date() })
    await commit(going, decision('a'))
    await commit(ended, { kind: 'signal_cancelled', payload: {} })
    await using relay = startRelay()
    await waitUntil(async () => (await undelivered(going)) + (await undelivered(ended)) === 0)
    expect(await signalsOf(relay.client, `run-${going.id}`)).toEqual([])
    const row = await rowOf(service.db, 'outbox', { run_id: ended.id })
    expect(row.undeliverable_at).not.toBeNull()
  })

  it('starts nothing in a Temporal that does not belong to this installation', async () => {
    const run = await addRun(service, { startedBy: ada })
    const { namespace_id } = await service.db
      .updateTable('installation')
      .set({ namespace_id: 'another' })
      .returning((builder) =>
        builder.selectFrom('installation').select('namespace_id').as('namespace_id'),
      )
      .executeTakeFirstOrThrow()
    try {
      await commit(run, start)
      await using relay = startRelay()
      await waitUntil(() => relay.foreign.length > 0)
      expect(relay.foreign[0]?.message).toContain('countersign doctor --repair')
      expect(await undelivered(run)).toBe(1)
    } finally {
      await service.db.updateTable('installation').set({ namespace_id }).execute()
    }
  })
})

// Rules: security.md 42
it('delivers rows whose lease the clock of the database has left far ahead, as after it was set back', async () => {
  await using _relay = startRelay()
  const run = await untilQuiet()
  await commit(run, start)
  await waitUntil(async () => (await undelivered(run)) === 0)
  for (const [owner, ahead] of [
    ['back-off', '1 day'],
    ['a process that died', '1 hour'],
  ] as const) {
    await service.db
      .insertInto('outbox')
      .values({
        run_id: run.id,
        kind: 'signal_messaged',
        payload: toJsonb({}),
        lease_owner: owner,
        leased_until: sql`clock_timestamp() + ${ahead}::interval`,
      })
      .execute()
    await sql`notify countersign_outbox`.execute(service.db)
    await waitUntil(async () => (await undelivered(run)) === 0)
  }
})
