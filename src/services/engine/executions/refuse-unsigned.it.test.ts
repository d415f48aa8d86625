import { describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { deskWorker } from '#test/harness/fixtures/agent-desk.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import {
  desk,
  aWrite,
  executions,
  onlyCall,
  newPath,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()

// Rules: security.md 13
describe('approvals that were only written into rows', () => {
  test('an approved state without a permit executes nothing and is audited', async () => {
    const { call, path, runId } = await aWrite()
    await setRows(desk.database.db, 'request', { id: call.requestId }, { state: 'approved' })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
    expect(await desk.auditTypes(runId)).toEqual(
      expect.arrayContaining(['permit.refused', 'execution.refused']),
    )
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })

  test("another call's permit, put in place by SQL, is refused", async () => {
    const first = await aWrite()
    const second = await aWrite()
    await desk.decide(desk.people.grace, first.call.requestId)
    await setRows(
      desk.database.db,
      'permit',
      { request_id: first.call.requestId },
      { call_id: second.call.id, request_id: second.call.requestId },
    )
    await setRows(desk.database.db, 'request', { id: second.call.requestId }, { state: 'approved' })
    await desk.execute(second.call.id)
    expect(await executions(second.call.id)).toEqual([
      { attempt: 1, state: 'refused', reason: 'invalid_permit' },
    ])
    expect(desk.executed).toEqual([])
  })

  test('an input changed after the approval is refused by its digest', async () => {
    const { call, runId } = await aWrite()
    const other = await aWrite('evil\n')
    await desk.decide(desk.people.grace, call.requestId)
    await sql`update request_revision set input_hash = (
      select input_hash from request_revision where request_id = ${other.call.requestId})
      where request_id = ${call.requestId}`.execute(desk.database.db)
    await desk.execute(call.id)
    expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
    expect(desk.executed).toEqual([])
  })

  test('a run mode changed to approve_all makes requests that nobody can decide, and executes nothing', async () => {
    const path = newPath()
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'x' } }] })
    const runId = await desk.start()
    await setRows(desk.database.db, 'run', { id: runId }, { mode: 'approve_all' })
    await desk.turn(runId, 1)
    const call = await onlyCall(runId)
    expect(call.verdict).toBe('ask')
    const deciding = desk.decide(desk.people.grace, call.requestId)
    await expect(deciding).rejects.toMatchObject({ code: 'tampered' })
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(desk.executed).toEqual([])
  })

  test('a verdict changed to preApproved is judged again and asks', async () => {
    const { call, runId } = await aWrite()
    await setRows(desk.database.db, 'tool_call', { id: call.id }, { verdict: 'preApproved' })
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await onlyCall(runId)).toMatchObject({ verdict: 'ask', result: null })
    expect(desk.executed).toEqual([])
  })

  test('an activation inserted by SQL changes no verdict', async () => {
    const { call, runId } = await aWrite()
    const changed = deskWorker.replace('write: ask', 'write: preApproved')
    await desk.activate({ 'workers/scribe.md': changed })
    await desk.activate({ 'workers/scribe.md': deskWorker })
    await sql`insert into policy_activation (sequence, digest, statement, signature, key_id, actor)
      select 1000, digest, statement, signature, key_id, actor from policy_activation
      where sequence = 2`.execute(desk.database.db)
    await setRows(desk.database.db, 'tool_call', { id: call.id }, { verdict: 'preApproved' })
    await desk.execute(call.id)
    await sql`delete from policy_activation where sequence = 1000`.execute(desk.database.db)
    expect(await onlyCall(runId)).toMatchObject({ verdict: 'ask', result: null })
    expect(desk.executed).toEqual([])
  })
})

// Rules: product.md 10
describe('grants', () => {
  test('an approval for the run lets the same call run without asking, and ends with its uses', async () => {
    const path = newPath()
    const input = { path, content: 'again\n' }
    desk.say(
      { calls: [{ tool: 'write_file', input }] },
      { calls: [{ tool: 'write_file', input }] },
      { calls: [{ tool: 'write_file', input }] },
    )
    const { runId } = await desk.startTurn()
    const first = await onlyCall(runId)
    await desk.decide(desk.people.grace, first.requestId, { scope: 'run', grant: { uses: 1 } })
    await desk.execute(first.id)
    await desk.write(path, 'changed back\n')
    await desk.perform(await desk.turn(runId, 2))
    expect(await desk.calls(runId, 2)).toMatchObject([{ verdict: 'preApproved', result: 'output' }])
    await desk.write(path, 'changed back\n')
    await desk.turn(runId, 3)
    expect(await desk.calls(runId, 3)).toMatchObject([{ verdict: 'ask', result: null }])
    expect(await desk.auditTypes(runId)).toContain('grant.used')
  })

  test('a grant whose end comes between judging and running asks after all', async () => {
    const path = newPath()
    const input = { path, content: 'again\n' }
    desk.say({ calls: [{ tool: 'write_file', input }] }, { calls: [{ tool: 'write_file', input }] })
    const { runId } = await desk.startTurn()
    const first = await onlyCall(runId)
    await desk.decide(desk.people.grace, first.requestId, { scope: 'run' })
    await desk.execute(first.id)
    await desk.write(path, 'changed back\n')
    const second = await desk.turn(runId, 2)
    await setRows(
      desk.database.db,
      'approval_grant',
      { root_run_id: runId },
      { revoked_at: new Date() },
    )
    expect(await desk.perform(second)).toMatchObject([{ kind: 'wait' }])
    expect(desk.executed).toEqual(['write_file'])
  })
})
