import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { inUnitOfWork, type UnitOfWork } from './unit-of-work.ts'
import { bySystem, service as self } from './authority.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(database.db, 'Ada', [])
const runId = (await addRun(service, { startedBy: ada })).id

function handedOver(): { ctx: TestService['ctx']; ids: string[] } {
  const ids: string[] = []
  return {
    ctx: { ...service.ctx, outboxCommitted: (rows) => ids.push(...rows.map((row) => row.id)) },
    ids,
  }
}

async function lock(unit: UnitOfWork, key: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${key})`.execute(unit.tx)
}

test('two units that deadlock are both committed, each once, and the rows that the failed try enqueued are dropped', async () => {
  const { ctx, ids } = handedOver()
  const bothHoldOne = Promise.withResolvers<void>()
  let [tries, holders] = [0, 0]
  const tags = [newId(), newId()]
  const crossing = (own: number, other: number, tag: string): Promise<number> =>
    inUnitOfWork(ctx, bySystem(ctx, self), async (unit) => {
      tries += 1
      await lock(unit, own)
      await unit.enqueue({ kind: 'signal_decided', runId, payload: { tag } })
      holders += 1
      if (holders >= 2) bothHoldOne.resolve()
      await bothHoldOne.promise
      await lock(unit, other)
      return own
    })
  const [first = '', second = ''] = tags
  expect(await Promise.all([crossing(1, 2, first), crossing(2, 1, second)])).toEqual([1, 2])
  expect(tries).toBeGreaterThan(2)
  const rows = await rowsOf(database.db, 'outbox', { run_id: runId }, 'id', 'payload')
  expect(rows.map((row) => String(row.payload['tag'])).toSorted()).toEqual(tags.toSorted())
  expect(ids.toSorted()).toEqual(rows.map((row) => row.id).toSorted())
})

test('a conflict that recurs is given up after five tries, with nothing kept', async () => {
  const { ctx, ids } = handedOver()
  let tries = 0
  const conflicting = inUnitOfWork(ctx, bySystem(ctx, self), async (unit) => {
    tries += 1
    await unit.enqueue({ kind: 'signal_messaged', runId, payload: {} })
    await sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`.execute(
      unit.tx,
    )
  })
  await expect(conflicting).rejects.toThrow('conflict')
  expect([tries, ids]).toEqual([5, []])
})

test('any other failure is reported at once and not tried again', async () => {
  let tries = 0
  const failing = inUnitOfWork(service.ctx, bySystem(service.ctx, self), async () => {
    tries += 1
    throw Object.assign(new Error('unique'), { code: '23505' })
  })
  await expect(failing).rejects.toThrow('unique')
  expect(tries).toBe(1)
})

test('a unit that approves what is not pending, or whose run would count below zero, writes nothing', async () => {
  const { ctx, ids } = handedOver()
  const run = await addRun(service, { startedBy: ada })
  const request = await addRequest(service, run)
  const approve = (id: string) =>
    inUnitOfWork(ctx, bySystem(ctx, self), async (unit) => {
      const permit = { id: newId(), request_id: request.id, revision: 1, attempt: 1, epoch: 1 }
      const signed = { statement: '{}', signature: '', key_id: '', expires_at: new Date() }
      unit.addDecided({ approved: [{ id, seal: null }], permits: [{ ...permit, ...signed }] })
      await unit.enqueue({ kind: 'signal_decided', runId: run.id, payload: {} })
    })
  await expect(approve(newId())).rejects.toThrow('was not pending')
  await setRows(database.db, 'run', { id: run.id }, { pending_requests: 0 })
  await expect(approve(request.id)).rejects.toThrow('would have -1 pending requests')
  expect(ids).toEqual([])
  expect(await rowsOf(database.db, 'permit', { request_id: request.id })).toEqual([])
  expect((await rowOf(database.db, 'request', { id: request.id })).state).toBe('pending')
})

test('a statement that is sent last has its rows only when the unit has ended, and undoes the unit if it fails', async () => {
  const { ctx, ids } = handedOver()
  const run = await addRun(service, { startedBy: ada })
  const rename = (divisor: number) =>
    inUnitOfWork(ctx, bySystem(ctx, self), async (unit) => {
      await unit.enqueue({ kind: 'signal_decided', runId: run.id, payload: {} })
      unit.sendLast(sql`select 2 / ${divisor}::integer`)
      const renamed = sql<{ title: string }>`
        update run set title = 'Renamed' where id = ${run.id} returning title`
      const sent = unit.sendLast(renamed)
      expect(() => sent.rows).toThrow('has not ended')
      return sent
    })
  await expect(rename(0)).rejects.toThrow('division by zero')
  expect(ids).toEqual([])
  expect((await rowOf(database.db, 'run', { id: run.id })).title).not.toBe('Renamed')
  expect((await rename(1)).rows).toEqual([{ title: 'Renamed' }])
  expect(ids).toHaveLength(1)
  expect((await rowOf(database.db, 'run', { id: run.id })).title).toBe('Renamed')
})
