import { describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { deskWorker } from '#test/harness/fixtures/agent-desk.ts'
import { revokePermit } from '../../permits/revoke-permit.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { prepareCall, type ReadyCall } from '../starting/prepare-call.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { executeCall } from './execute-call.ts'
import {
  anApprovedWrite,
  aWrite,
  desk,
  executions,
  onlyCall,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()

/** A Temporal worker that counts how often it verifies a call. */
function counting(): { readonly worker: WorkerContext; readonly verified: () => number } {
  let count = 0
  const worker: WorkerContext = {
    ...desk.worker,
    registryOf: (...of) => {
      count += 1
      return desk.worker.registryOf(...of)
    },
  }
  return { worker, verified: () => count }
}

async function executeReady(worker: WorkerContext, callId: string, ready: ReadyCall | null) {
  const { signal } = new AbortController()
  return executeCall(worker, { callId, signal, ready })
}

describe('a call that is prepared while Temporal schedules its activity', () => {
  test('is verified once, and runs once when two activities race for it', async () => {
    const { call, path } = await anApprovedWrite()
    const { worker, verified } = counting()
    const ready = await prepareCall(worker, call.id)
    const racing = [1, 2].map(() => executeReady(worker, call.id, ready))
    const outcomes = await Promise.all(racing)
    expect(outcomes).toEqual([{ kind: 'done' }, { kind: 'done' }])
    expect([verified(), desk.executed]).toEqual([1, ['write_file']])
    expect(await desk.read(path)).toBe('two\n')
  })

  test('starts nothing and writes nothing until its activity begins', async () => {
    const { call, path } = await anApprovedWrite()
    const rows = async () => {
      const { rows } = await sql`select
        (select to_jsonb(permit) from permit where call_id = ${call.id}) as permit,
        (select to_jsonb(tool_call) from tool_call where id = ${call.id}) as call,
        (select count(*)::integer from audit_event) as events,
        (select count(*)::integer from execution where call_id = ${call.id}) as attempts
      `.execute(desk.database.db)
      return rows
    }
    const before = await rows()
    expect(await prepareCall(desk.worker, call.id)).not.toBeNull()
    expect(await rows()).toEqual(before)
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })

  test('is not ready while it waits for its approval', async () => {
    const { call } = await aWrite()
    expect(await prepareCall(desk.worker, call.id)).toBeNull()
  })

  /** Prepares an approved write, then changes something, and executes the call. */
  async function executeAfter(
    change: (write: Awaited<ReturnType<typeof aWrite>>) => Promise<void>,
  ) {
    const write = await anApprovedWrite()
    const callId = write.call.id
    const ready = await prepareCall(desk.worker, callId)
    if (ready === null) throw new Error('The call is not ready')
    await change(write)
    const outcome = await executeReady(desk.worker, callId, ready)
    return { ...write, outcome, attempts: await executions(callId) }
  }

  // Rules: product.md 14; security.md 10
  test('does not run when its approval was revoked since', async () => {
    const { runId, attempts } = await executeAfter(async ({ call }) => {
      await revokePermit(desk.api, desk.people.grace.caller, {
        request: call.requestId,
        reason: 'not after all',
      })
    })
    expect(await onlyCall(runId)).toMatchObject({ result: 'cancelled' })
    expect(attempts).toEqual([{ attempt: 1, state: 'refused', reason: 'revoked' }])
    expect(desk.executed).toEqual([])
  })

  test('does not run when its run was cancelled since', async () => {
    const { outcome, attempts } = await executeAfter(async ({ runId }) => {
      await cancelRun(desk.api, desk.people.ada.caller, { runId })
    })
    expect([outcome, attempts, desk.executed]).toEqual([{ kind: 'ended' }, [], []])
  })

  test('does not run when a version that blocks it was activated since', async () => {
    const { runId, attempts } = await executeAfter(() =>
      desk.activate({
        'workers/scribe.md': deskWorker.replace('write: ask', 'write: { blocked: "frozen" }'),
      }),
    )
    await desk.activate({ 'workers/scribe.md': deskWorker })
    expect(await onlyCall(runId)).toMatchObject({ result: 'blocked' })
    expect(attempts).toEqual([{ attempt: 1, state: 'refused', reason: 'blocked' }])
  })

  test('does not run when its file was changed since', async () => {
    const { outcome, path, attempts } = await executeAfter(({ path }) =>
      desk.write(path, 'somebody else\n'),
    )
    expect(outcome).toMatchObject({ kind: 'wait' })
    expect(attempts).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    expect(await desk.read(path)).toBe('somebody else\n')
  })
})
