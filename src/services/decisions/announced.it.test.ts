import { expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addWaitingCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { decideRequest } from './decide-request.ts'

const desk = disposeAfterTests(await openAgentDesk())

/** Approves a call whose workflow gets the signal before the commit, and acts at once. */
async function approveWokenEarly(name: string, undone: boolean) {
  const { runId, call, digest } = await addWaitingCall(desk, name)
  let executed: Promise<CallOutcome> | undefined
  const outboxAnnounced = () => {
    executed = desk.execute(call.id)
    if (undone) throw new Error('undone')
    return executed.then(() => true)
  }
  const decided = decideRequest({ ...desk.api, outboxAnnounced }, desk.people.grace.caller, {
    request: call.requestId,
    body: { decision: 'approve', digest, revision: 1 },
  })
  const [decision] = await Promise.allSettled([decided])
  return { decision, outcome: await executed, call, runId }
}

it('a call that is woken ahead of the commit waits for it, and is carried out', async () => {
  const { decision, outcome, runId } = await approveWokenEarly('early', false)
  expect([decision.status, outcome]).toEqual(['fulfilled', { kind: 'done' }])
  expect(await desk.read('notes/early.md')).toBe('hello\n')
  expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'output' }])
})

it('a call that is woken by a decision which is then rolled back continues to wait', async () => {
  const { decision, outcome, call, runId } = await approveWokenEarly('undone', true)
  expect(decision.status).toBe('rejected')
  expect(outcome).toMatchObject({ kind: 'wait', requestIds: [call.requestId] })
  expect(await desk.calls(runId, 1)).toMatchObject([{ result: null }])
  await expect(desk.read('notes/undone.md')).rejects.toThrow(/ENOENT/)
})
