import { randomBytes } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashToken } from '#services/access/token.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'
import { journalOf } from './journal.ts'

const act = { tool: 'act', input: { how: 'wait' } }
const world = disposeAfterTests(
  await FaultWorld.start(faultProject({ act: [{ calls: [act] }, { text: 'Told.' }] })),
)

/** Temporal as it was before the first activity of the run. */
async function resetWorkflow(runId: string): Promise<void> {
  const { workflowService, workflow } = await world.temporal()
  const workflowExecution = { workflowId: `agent-run:${runId}` }
  const history = await workflow.getHandle(workflowExecution.workflowId).fetchHistory()
  const first = history.events?.find((event) => event.workflowTaskCompletedEventAttributes != null)
  await workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution,
    reason: 'attack',
    requestId: `attack-${runId}`,
    workflowTaskFinishEventId: first?.eventId ?? null,
  })
}

// Rules: security.md 29
test('a permit whose rows are reset together with Temporal runs nothing twice', async () => {
  const runId = await world.startRun('act')
  const request = await world.onlyWaiting(runId)
  await world.decide(request)
  await world.untilRun(runId, 'completed')
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1, ended: 1 })
  await world.sql(`delete from execution where call_id = $1`, [request.callId])
  await world.sql(`update permit set state = 'live', ended_at = null where call_id = $1`, [
    request.callId,
  ])
  await world.sql(
    `update tool_call set result_type = null, result_text_hash = null, finished_at = null where id = $1`,
    [request.callId],
  )
  await world.sql(`update run set state = 'running', ended_at = null, turn = 1 where id = $1`, [
    runId,
  ])
  await resetWorkflow(runId)
  await waitUntil(async () => (await world.audit(runId)).includes('permit.refused'))
  await world.untilSql(
    `select state from execution where call_id = $1`,
    [request.callId],
    'unknown',
  )
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1 })
}, 240_000)

test('a session that is written into the database decides as nobody', async () => {
  const runId = await world.startRun('act')
  const request = await world.onlyWaiting(runId)
  const token = randomBytes(32).toString('base64url')
  await world.sql(
    `insert into session (token_hash, id, person_id, csrf_token, channel, device, expires_at)
     select $1, gen_random_uuid(), id, 'forged', 'link', 'forged', clock_timestamp() + interval '1 hour'
     from person where email = 'grace@example.com'`,
    [hashToken(token)],
  )
  const { digest, revision } = request
  const url = world.installation.url
  const answer = await fetch(`${url}/v1/requests/${request.id}/decisions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: url,
      cookie: `__Host-countersign=${token}`,
      'x-csrf-token': 'forged',
    },
    body: JSON.stringify({ decision: 'approve', digest, revision }),
  })
  expect(answer.status).toBe(401)
  await world.untilSql(
    `select count(*)::int > 0 from audit_event where type = 'session.refused' and document like '%tampered%'`,
    [],
    true,
  )
  await world.untilSql('select state from request where id = $1', [request.id], 'pending')
}, 240_000)

test('a membership that is written into the database makes no approver', async () => {
  const runId = await world.startRun('act')
  const request = await world.onlyWaiting(runId)
  await world.sql(
    `insert into membership (team, person_id)
     select 'platform', id from person where email = 'olga@example.com'`,
  )
  const answer = await world.decide(request, {}, { who: 'olga' })
  expect(answer).toMatchObject({ status: 409, body: { code: 'tampered' } })
  await world.sql(`delete from membership where seal is null`)
}, 240_000)

test('a starter who deletes those behind a request approves nothing', async () => {
  const runId = await world.startRun('act', {}, 'grace')
  const request = await world.onlyWaiting(runId)
  await world.sql('delete from request_principal where request_id = $1', [request.id])
  const answer = await world.decide(request, {}, { who: 'grace' })
  expect(answer).toMatchObject({ status: 409, body: { code: 'tampered', which: 'principals' } })
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 0 })
  await world.untilSql(
    `select count(*)::int from audit_event where type = 'decision.refused' and request_id = $1`,
    [request.id],
    1,
  )
}, 240_000)

test('an older activation that is put back by SQL is refused by the API and the executor, and is in the trail', async () => {
  const inForce = async () => (await world.as('ada')).get('/v1/policy')
  expect((await inForce()).status).toBe(200)
  const [newest] = await world.sql<{ sequence: number }>(
    'select max(sequence)::int as sequence from policy_activation',
  )
  const before = newest?.sequence ?? 0
  await appendFile(join(world.installation.folder, 'countersign.yaml'), '# changed\n')
  await world.untilSql(
    'select max(sequence)::int as sequence from policy_activation',
    [],
    before + 1,
  )
  const runId = await world.startRun('act')
  const request = await world.onlyWaiting(runId)
  await world.sql('delete from policy_activation where sequence > $1', [before])
  await world.sql(
    `insert into audit_event (id, at, type, actor_type, document)
     select gen_random_uuid(), clock_timestamp(), type, actor_type,
       jsonb_set(document::jsonb, '{detail,sequence}', to_jsonb($1::int))::text
     from audit_event where type = 'policy.activated' order by at limit 1`,
    [before],
  )
  expect((await inForce()).status).toBe(503)
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 0 })
  await world.untilSql(
    `select count(*)::int from audit_event where type = 'policy.rejected' and document like '%rolled_back%'`,
    [],
    1,
  )
}, 240_000)
