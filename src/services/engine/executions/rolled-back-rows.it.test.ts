import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { revokePermit } from '../../permits/revoke-permit.ts'
import { revokeGrant } from '../../grants/revoke-grant.ts'
import type { Ledger } from '../../core/ledger.ts'
import { executeCall } from './execute-call.ts'
import {
  anApprovedWrite,
  aWrite,
  desk,
  executions,
  newPath,
  onlyCall,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()

/** The rows of a call as they were before it was carried out; Temporal is reset by asking again. */
async function rollBack(callId: string): Promise<void> {
  const { db } = desk.database
  await sql`delete from execution where call_id = ${callId}`.execute(db)
  await sql`update permit set state = 'live', ended_at = null where call_id = ${callId}`.execute(db)
  await sql`update tool_call set result_type = null, result_text_hash = null, result_output_hash = null,
    finished_at = null where id = ${callId}`.execute(db)
}

async function refusals(callId: string) {
  const rows = await rowsOf(
    desk.database.db,
    'audit_event',
    { call_id: callId, type: 'permit.refused' },
    'document',
  )
  return rows.map(({ document }) => (JSON.parse(document) as { detail: object }).detail)
}

// Rules: security.md 29
test('a permit that was reset in the rows is spent: the call does not run again, and people are asked', async () => {
  const { call, runId, path } = await anApprovedWrite()
  expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
  expect(desk.executed).toEqual(['write_file'])
  await rollBack(call.id)
  await rm(join(desk.root, path))
  expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
  expect(desk.executed).toEqual(['write_file'])
  await expect(desk.read(path)).rejects.toThrow('ENOENT')
  expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'unknown' }])
  expect(await refusals(call.id)).toMatchObject([{ reason: 'already_spent', attempt: 1 }])
  const check = await rowsOf(
    desk.database.db,
    'request',
    { run_id: runId, kind: 'outcome_check' },
    'kind',
    'state',
  )
  expect(check).toEqual([{ kind: 'outcome_check', state: 'pending' }])
})

test('an attempt that the ledger refuses ends, though the database fails when that is recorded', async () => {
  const { call, path } = await anApprovedWrite()
  expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
  await rollBack(call.id)
  await rm(join(desk.root, path))
  let failures = 0
  const first: Ledger['first'] = async (...entry) => {
    failures = 1
    return desk.worker.ledger.first(...entry)
  }
  const db = new Proxy(desk.worker.db, {
    get(target, name) {
      if (name === 'transaction' && failures > 0) {
        failures -= 1
        throw new Error('the database is away')
      }
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const { signal } = new AbortController()
  const host = { ...desk.worker, db, ledger: { first } }
  expect(await executeCall(host, { callId: call.id, signal })).toMatchObject({ kind: 'wait' })
  expect(failures).toBe(0)
  expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'unknown' }])
  expect(await refusals(call.id)).toMatchObject([{ reason: 'already_spent', attempt: 1 }])
})

test('a pre-approved effect whose rows were reset does not run again', async () => {
  desk.say({
    calls: [{ tool: 'write_file', input: { path: newPath('scratch'), content: 'new\n' } }],
  })
  const { runId } = await desk.startTurn()
  const call = await onlyCall(runId)
  expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
  await rollBack(call.id)
  expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
  expect(desk.executed).toEqual(['write_file'])
  expect(await refusals(call.id)).toMatchObject([{ permitId: null, reason: 'already_spent' }])
})

test.each([
  ['refused', null],
  ['unknown', 'again'],
] as const)(
  'a pre-approved effect does not run again when SQL says that its attempt was %s',
  async (state, then) => {
    const { db } = desk.database
    const path = newPath('scratch')
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'new\n' } }] })
    const { runId } = await desk.startTurn()
    const call = await onlyCall(runId)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    await rm(join(desk.root, path))
    await sql`update tool_call set result_type = null, result_text_hash = null,
      result_output_hash = null, finished_at = null where id = ${call.id}`.execute(db)
    await sql`update execution set state = ${state}, reason = 'stale', settled_then = ${then},
      attempt = 7, finished_at = null where call_id = ${call.id}`.execute(db)
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(desk.executed).toEqual(['write_file'])
    expect(await refusals(call.id)).toMatchObject([{ permitId: null, reason: 'already_spent' }])
  },
)

test('uses of a grant that were reset in its row still count', async () => {
  const { call, runId, path } = await aWrite()
  await desk.decide(desk.people.grace, call.requestId, { scope: 'path', grant: { uses: 1 } })
  await desk.execute(call.id)
  const again = async (turn: number) => {
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: `${turn}\n` } }] })
    const outcome = await desk.turn(runId, turn)
    if (outcome.kind !== 'calls') throw new Error(outcome.kind)
    return outcome.calls[0]?.callId ?? ''
  }
  const used = await again(2)
  expect(await desk.execute(used)).toEqual({ kind: 'done' })
  expect(desk.executed).toHaveLength(2)
  await sql`update approval_grant set uses = 0 where root_run_id = ${runId}`.execute(
    desk.database.db,
  )
  const third = await again(3)
  expect(await desk.execute(third)).toMatchObject({ kind: 'wait' })
  expect(desk.executed).toHaveLength(2)
  expect(await refusals(third)).toMatchObject([{ reason: 'already_spent' }])
  expect(await desk.read(path)).toBe('2\n')
})

test('a permit and a grant that were revoked stay revoked, though their rows are reset', async () => {
  const { db } = desk.database
  const { call } = await anApprovedWrite()
  await revokePermit(desk.api, desk.people.grace.caller, {
    request: call.requestId,
    reason: 'not now',
  })
  await sql`update permit set state = 'live', ended_at = null where call_id = ${call.id}`.execute(
    db,
  )
  await desk.execute(call.id)
  expect(desk.executed).toEqual([])
  const granted = await aWrite()
  await desk.decide(desk.people.grace, granted.call.requestId, { scope: 'path' })
  const grant = await rowOf(db, 'approval_grant', { request_id: granted.call.requestId })
  await revokeGrant(desk.api, desk.people.grace.caller, { grantId: grant.id })
  await sql`update approval_grant set revoked_at = null, revoked_by = null where id = ${grant.id}`.execute(
    db,
  )
  await desk.execute(granted.call.id)
  const { path } = granted
  desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'more\n' } }] })
  const outcome = await desk.turn(granted.runId, 2)
  expect(outcome).toMatchObject({ kind: 'calls', calls: [{ step: 'wait' }] })
})

test('an activation that was deleted, with the trail forged to match, does not bring an older policy back, and a transaction that finds this records it', async () => {
  const { db } = desk.database
  const config = await desk.read('countersign.yaml')
  const before = (await desk.api.policies.inForce()).digest
  await desk.activate({ 'countersign.yaml': `${config}# newer\n` })
  const newest = (await desk.worker.policies.inForce()).digest
  expect(newest).not.toBe(before)
  const [row] = await db
    .selectFrom('policy_activation')
    .selectAll()
    .orderBy('sequence', 'desc')
    .execute()
  await sql`delete from policy_activation where digest = ${newest}`.execute(db)
  await sql`insert into audit_event (id, at, type, actor_type, sequence, document)
    select gen_random_uuid(), clock_timestamp(), type, actor_type, null,
      jsonb_set(document::jsonb, '{detail,sequence}', to_jsonb((select max(sequence) from policy_activation)))::text
    from audit_event where type = 'policy.activated' order by at limit 1`.execute(db)
  const rejected = () =>
    db.selectFrom('audit_event').select('document').where('type', '=', 'policy.rejected').execute()
  const undone = db.transaction().execute((tx) => desk.api.policies.inForce(tx))
  await expect(undone).rejects.toMatchObject({ code: 'unavailable' })
  await waitUntil(async () => (await rejected()).length > 0)
  for (const policies of [desk.api.policies, desk.worker.policies]) {
    await expect(policies.inForce()).rejects.toMatchObject({ code: 'unavailable' })
  }
  expect((await rejected()).map(({ document }) => JSON.parse(document).detail)).toEqual([
    { why: 'rolled_back', seen: row?.sequence, found: (row?.sequence ?? 0) - 1 },
  ])
  await desk.activate({ 'countersign.yaml': `${config}# newer\n` })
  expect((await desk.worker.policies.inForce()).digest).toBe(newest)
})

// Rules: security.md 42
test('while the ledger cannot be written, as on a full disk, an approved call waits, and then runs once', async () => {
  const { call, path } = await anApprovedWrite()
  const { ledger } = desk.worker
  let failures = 2
  const first: Ledger['first'] = async (...entry) => {
    if (failures === 0) return ledger.first(...entry)
    failures -= 1
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  const host = { ...desk.worker, ledger: { first } }
  const { signal } = new AbortController()
  expect(await executeCall(host, { callId: call.id, signal })).toEqual({ kind: 'done' })
  expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'succeeded' }])
  expect(await desk.read(path)).toBe('two\n')
})

describe('a call that waits for its ledger', () => {
  /** The disk is full until the second write; before that one, `meanwhile` happens. */
  async function whileWaiting(meanwhile: (runId: string, stop: AbortController) => Promise<void>) {
    const { call, path, runId } = await anApprovedWrite()
    const stop = new AbortController()
    let writes = 0
    const first: Ledger['first'] = async (...entry) => {
      writes += 1
      if (writes > 1) return desk.worker.ledger.first(...entry)
      await meanwhile(runId, stop)
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }
    const host = { ...desk.worker, ledger: { first } }
    const outcome = await executeCall(host, { callId: call.id, signal: stop.signal })
    expect(outcome).toEqual({ kind: 'done' })
    expect(desk.executed).toEqual([])
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
    return { writes, rows: await executions(call.id), result: await onlyCall(runId) }
  }

  test('does not run after its run is cancelled, though the disk has space again', async () => {
    const { writes, rows, result } = await whileWaiting(async (runId, stop) => {
      await cancelRun(desk.api, desk.people.ada.caller, { runId })
      const aborts = vi.spyOn(AbortController.prototype, 'abort')
      stop.abort('cancelled')
      // The second one is that of the call, once the database has confirmed the cancel.
      await waitUntil(() => aborts.mock.calls.filter(([why]) => why === 'cancelled').length > 1)
      aborts.mockRestore()
    })
    expect(writes).toBe(1)
    expect(rows).toEqual([{ attempt: 1, state: 'failed', reason: 'cancelled' }])
    expect(result).toMatchObject({ result: 'cancelled' })
  })

  test('does not run after its host was told to stop', async () => {
    const { writes, rows } = await whileWaiting(async (_, stop) => stop.abort('shutdown'))
    expect(writes).toBe(1)
    expect(rows).toEqual([{ attempt: 1, state: 'failed', reason: 'stopped' }])
  })
})

test('a stop that comes between the entry in the ledger and the tool lets nothing run', async () => {
  const { call, path, runId } = await anApprovedWrite()
  const stop = new AbortController()
  const first: Ledger['first'] = async (...entry) => {
    const id = await desk.worker.ledger.first(...entry)
    stop.abort('shutdown')
    return id
  }
  const host = { ...desk.worker, ledger: { first } }
  expect(await executeCall(host, { callId: call.id, signal: stop.signal })).toEqual({
    kind: 'done',
  })
  await expect(desk.read(path)).rejects.toThrow('ENOENT')
  expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'failed', reason: 'stopped' }])
  expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
})
