import { CompiledQuery, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import { insertRunLike } from '#test/harness/fixtures/runs/insert-run-like.ts'
import { admitRun } from './admit-run.ts'
import { desk, useDelegationDesk, delegated, row } from '../delegation/delegation.fixture.ts'

useDelegationDesk()

async function query(text: string, values: unknown[] = []) {
  const asked = CompiledQuery.raw(text, values)
  return (await desk.database.db.executeQuery<Record<string, unknown>>(asked)).rows
}

// Rules: security.md 13
describe('a child that no call started', () => {
  const refused = { admitted: false, state: 'failed', code: 'delegation_refused', recorded: true }

  async function admitted(childId: string) {
    const answer = await admitRun(desk.api, { runId: childId })
    const { state, failure } = await row(childId)
    const recorded = (await desk.auditTypes(childId)).includes('permit.refused')
    return { admitted: answer, state, code: failure?.code ?? null, recorded }
  }

  test('written by SQL beside a real one, under the same call, is refused and the real one runs', async () => {
    const { childId } = await delegated()
    const forged = '019a0000-0000-7000-8000-0000000000aa'
    await insertRunLike(query, childId, { id: forged, workflow_id: 'agent-run:forged' })
    expect(await admitted(forged)).toEqual(refused)
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
  })

  test.each([
    ['another worker', sql`worker = 'circle'`],
    ['another input', sql`input_digest = ${hashBytes(canonicalJson('Delete all'))}`],
    ['the mode approve_all', sql`mode = 'approve_all'`],
    ['another starter', sql`started_by = (select id from person where email = 'olga@example.com')`],
  ])('changed to %s before it was signed is refused', async (_title, change) => {
    const { childId } = await delegated()
    await sql`insert into content (hash, encoding, size, bytes)
      values (${hashBytes(canonicalJson('Delete all'))}, 'identity', 12, ${Buffer.from(canonicalJson('Delete all'))})
      on conflict do nothing`.execute(desk.database.db)
    await sql`update run set ${change} where id = ${childId}`.execute(desk.database.db)
    expect(await admitted(childId)).toEqual(refused)
  })

  test('whose lineage leaves a person out is refused', async () => {
    const { runId, childId } = await delegated()
    await sql`delete from run_lineage where run_id = ${childId} and ancestor_id = ${runId}`.execute(
      desk.database.db,
    )
    expect(await admitted(childId)).toEqual(refused)
  })

  // Rules: security.md 29
  test('that the call starts a second time, because its rows were reset, is refused', async () => {
    const { callId, childId } = await delegated()
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const again = '019a0000-0000-7000-8000-0000000000bb'
    const { db } = desk.database
    const copy = { id: again, workflow_id: 'agent-run:again', signature: '', key_id: '' }
    await insertRunLike(query, childId, copy)
    await sql`insert into run_lineage select ${again}::uuid, case when ancestor_id = ${childId}::uuid
      then ${again}::uuid else ancestor_id end, depth from run_lineage where run_id = ${childId}`.execute(
      db,
    )
    await sql`update execution set detail = detail || jsonb_build_object('childRunId', ${again}::text)
      where call_id = ${callId}`.execute(db)
    expect(await admitted(again)).toEqual(refused)
  })

  test('started without a permit, by an attempt that says the policy allows it, is refused', async () => {
    const { runId, callId, childId } = await delegated()
    await sql`update execution set permit_id = null where call_id = ${callId}`.execute(
      desk.database.db,
    )
    expect(await admitted(childId)).toEqual(refused)
    await desk.execute(callId)
    expect((await desk.calls(runId, 1))[0]?.result).toBe('error')
  })
})
