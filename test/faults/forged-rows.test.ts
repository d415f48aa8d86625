import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld, type WaitingRequest } from './fault-world.ts'
import { journalOf } from './journal.ts'

const act = { tool: 'act', input: { how: 'wait' } }
const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject({
      act: [{ calls: [act] }, { text: 'Told.' }],
      granted: [{ calls: [act] }, { calls: [aWrite('notes/keeps-open.md')] }],
      other: [{ calls: [{ tool: 'act', input: { how: 'wait', mark: 'other' } }] }],
    }),
  ),
)

interface Waiting {
  readonly runId: string
  readonly request: WaitingRequest
}

async function waitingRun(worker = 'act'): Promise<Waiting> {
  const runId = await world.startRun(worker)
  return { runId, request: await world.onlyWaiting(runId) }
}

/** The writer of rows can signal too: the workflow looks at once. */
async function wake({ runId, request }: Waiting): Promise<void> {
  const { workflow } = await world.temporal()
  await workflow.getHandle(`agent-run:${runId}`).signal(decided, [request.id])
}

/** The call was refused with nothing done, the trail says so, and the run went on with an error. */
async function expectRefused(waiting: Waiting, reason: string): Promise<void> {
  const { runId, request } = waiting
  await world.untilRun(runId, 'completed')
  expect(await world.calls(runId)).toMatchObject([
    { result: 'error', execution: 'refused', reason },
  ])
  expect(await world.audit(runId)).toEqual(
    expect.arrayContaining(['permit.refused', 'execution.refused']),
  )
  expect(await world.audit(runId)).not.toContain('execution.started')
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 0 })
}

/** Once the run looks again, nothing runs: the call asks, as the signed policy says. */
async function expectAsks(waiting: Waiting): Promise<void> {
  const { runId, request } = waiting
  await wake(waiting)
  await world.untilSql(`select verdict from tool_call where id = $1`, [request.callId], 'ask')
  const { workflow } = await world.temporal()
  await waitUntil(async () => {
    const { raw } = await workflow.getHandle(`agent-run:${runId}`).describe()
    return raw.pendingWorkflowTask === null && (raw.pendingActivities ?? []).length === 0
  })
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 0 })
  expect(await world.calls(runId)).toMatchObject([{ result: null, execution: null }])
  const open = await world.sql(`select 1 from request where run_id = $1 and state = 'pending'`, [
    runId,
  ])
  expect(open.length).toBeGreaterThan(0)
}

function forgeApproval({ request }: Waiting): Promise<unknown> {
  return world.sql(`update request set state = 'approved', decided_at = now() where id = $1`, [
    request.id,
  ])
}

/** Copies a real permit under another request, with what the forger can write about it. */
function copyPermit(from: Waiting, to: Waiting): Promise<unknown> {
  return world.sql(
    `insert into permit (id, request_id, revision, attempt, run_id, call_id, state, statement, signature, key_id, epoch, issued_at, expires_at)
     select gen_random_uuid(), $2::text::uuid, 1, 1, $3::text::uuid, $4::text::uuid, 'live',
       replace(replace(replace(statement, $1::text, $2::text), $5::text, $3::text), $6::text, $4::text),
       signature, key_id, epoch, clock_timestamp(), expires_at
     from permit where request_id = $1::text::uuid`,
    [from.request.id, to.request.id, to.runId, to.request.callId, from.runId, from.request.callId],
  )
}

/** A run of the same call that was really approved and carried out. */
async function honest(how: Record<string, unknown> = {}, worker = 'act'): Promise<Waiting> {
  const waiting = await waitingRun(worker)
  await world.decide(waiting.request, how)
  await world.untilSql(
    'select state from execution where call_id = $1',
    [waiting.request.callId],
    'succeeded',
  )
  return waiting
}

// Rules: security.md 13
describe('with rows written by SQL', () => {
  test('an approved state without a permit is refused as unsigned', async () => {
    const waiting = await waitingRun()
    await forgeApproval(waiting)
    await wake(waiting)
    await expectRefused(waiting, 'unsigned')
  }, 240_000)

  test('a permit that was copied and made to fit is refused by its signature', async () => {
    const real = await honest()
    const waiting = await waitingRun()
    await copyPermit(real, waiting)
    await forgeApproval(waiting)
    await wake(waiting)
    await expectRefused(waiting, 'invalid_permit')
  }, 240_000)

  test('a decision row of an eligible person approves nothing', async () => {
    const real = await honest()
    const waiting = await waitingRun()
    await world.sql(
      `insert into decision select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'request_id', $2::text))).*
       from decision d where request_id = $1`,
      [real.request.id, waiting.request.id],
    )
    await forgeApproval(waiting)
    await wake(waiting)
    await expectRefused(waiting, 'unsigned')
  }, 240_000)

  test('an input that changes between approval and execution is refused, though the approval is real', async () => {
    const other = await waitingRun('other')
    const waiting = await waitingRun()
    const bringBack = await world.takeDown('temporal-worker')
    await world.decide(waiting.request)
    await world.sql(
      `update request_revision set input_hash = (select input_hash from request_revision where request_id = $2) where request_id = $1`,
      [waiting.request.id, other.request.id],
    )
    await bringBack()
    await expectRefused(waiting, 'invalid_permit')
  }, 240_000)

  test('bytes that were changed under their hash execute nothing, and the refusal is in the trail', async () => {
    const waiting = await waitingRun()
    const bringBack = await world.takeDown('temporal-worker')
    await world.decide(waiting.request)
    await world
      .sql(`update request_revision set input_hash = $2 where request_id = $1`, [
        waiting.request.id,
        `sha256:${'0'.repeat(64)}`,
      ])
      .catch(() => undefined)
    await world.sql(
      `insert into content (hash, encoding, size, bytes) values ($1, 'identity', 2, '{}')`,
      [`sha256:${'0'.repeat(64)}`],
    )
    await world.sql(`update request_revision set input_hash = $2 where request_id = $1`, [
      waiting.request.id,
      `sha256:${'0'.repeat(64)}`,
    ])
    await bringBack()
    await expectRefused(waiting, 'unsigned')
  }, 240_000)

  test('a run mode, or another run’s signed statement, makes nothing pre-approved', async () => {
    const open = await world.startRun('other', { mode: 'approve_all' }, 'olga')
    await world.untilRun(open, 'completed')
    const changedMode = await waitingRun()
    await world.sql(`update run set mode = 'approve_all' where id = $1`, [changedMode.runId])
    const borrowed = await waitingRun()
    await world.sql(
      `update run set mode = 'approve_all', signature = o.signature, key_id = o.key_id
       from run o where run.id = $1 and o.id = $2`,
      [borrowed.runId, open],
    )
    for (const waiting of [changedMode, borrowed]) {
      await world.sql(`update tool_call set verdict = 'preApproved' where id = $1`, [
        waiting.request.callId,
      ])
      await wake(waiting)
      await world.untilSql(
        'select state from execution where call_id = $1',
        [waiting.request.callId],
        'refused',
        10_000,
      )
      expect(await world.calls(waiting.runId)).toMatchObject([
        { execution: 'refused', reason: 'invalid_statement' },
      ])
      expect(await journalOf(world, waiting.request.callId)).toMatchObject({ begun: 0 })
      expect(await world.audit(waiting.runId)).toContain('execution.refused')
    }
  }, 240_000)

  test('a verdict changed to preApproved is judged again, and asks', async () => {
    const waiting = await waitingRun()
    await world.sql(`update tool_call set verdict = 'preApproved' where id = $1`, [
      waiting.request.callId,
    ])
    await expectAsks(waiting)
  }, 240_000)

  test('a grant that was copied to another root run pre-approves nothing there', async () => {
    const real = await honest({ scope: 'run' }, 'granted')
    const waiting = await waitingRun()
    const copied = await world.sql(
      `insert into approval_grant select (jsonb_populate_record(g, jsonb_build_object(
         'id', gen_random_uuid(), 'root_run_id', $2::text, 'ended_at', null, 'uses', 0,
         'statement', replace(statement, $1::text, $2::text)))).*
       from approval_grant g where root_run_id = $1::text::uuid returning id`,
      [real.runId, waiting.runId],
    )
    expect(copied).toHaveLength(1)
    await world.sql(`update tool_call set verdict = 'preApproved', grant_id = $2 where id = $1`, [
      waiting.request.callId,
      copied[0]?.['id'],
    ])
    await expectAsks(waiting)
  }, 240_000)

  test('a policy version and its activation, inserted, are not in force', async () => {
    const waiting = await waitingRun()
    const digest = `sha256:${'ab'.repeat(32)}`
    await world.sql(
      `insert into policy_version (digest, document)
       select $1, replace(document::text, 'ask', 'preApproved')::jsonb from policy_version limit 1`,
      [digest],
    )
    await world.sql(
      `insert into policy_activation (sequence, digest, statement, signature, key_id, actor)
       select sequence + 1000, $1, replace(statement, digest, $1), signature, key_id, actor
       from policy_activation order by sequence desc limit 1`,
      [digest],
    )
    await world.sql(`update tool_call set verdict = 'preApproved' where id = $1`, [
      waiting.request.callId,
    ])
    await expectAsks(waiting)
    await world.sql('delete from policy_activation where sequence > 1000')
  }, 240_000)

  test('a call and a request that nobody recorded execute nothing', async () => {
    const waiting = await waitingRun()
    const callId = randomUUID()
    await world.sql(
      `insert into tool_call select (jsonb_populate_record(c, jsonb_build_object(
         'id', $2::text, 'position', 2, 'tool_call_id', 'forged', 'verdict', 'preApproved', 'request_id', null))).*
       from tool_call c where id = $1`,
      [waiting.request.callId, callId],
    )
    await world.decide(waiting.request, { decision: 'deny' })
    await waitUntil(async () => (await world.calls(waiting.runId)).length === 2)
    expect(await journalOf(world, callId)).toMatchObject({ begun: 0 })
    expect(await journalOf(world, waiting.request.callId)).toMatchObject({ begun: 0 })
  }, 240_000)
})
