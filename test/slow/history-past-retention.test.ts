import { afterAll, beforeAll, expect, it } from 'vitest'
import { issuedCalls } from '#delivery/reconciling/issued-calls.ts'
import { connectTemporal, type TemporalClient } from '#delivery/temporal-client.ts'
import { decided } from '#workflows/messages.ts'
import { useTemporal } from '../harness/temporal.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun } from '../workflows/scripted-run.ts'

let temporal: TemporalClient
beforeAll(async () => {
  temporal = connectTemporal(await useTemporal())
})
afterAll(() => temporal[Symbol.asyncDispose]())

const within = { withinMs: 120_000, everyMs: 200 }

it('the calls of a run are known with those that it continued from, and not at all once that is gone', async () => {
  const store = new ScriptedStore([[{}, { requestId: 'a' }]])
  await using run = await startScriptedRun(store)
  const { workflowId } = run.handle
  await waitUntil(() => store.journal.length === 1, within)
  const newest = temporal.client.workflow.getHandle(workflowId)
  const { runId } = await newest.describe()
  // Two thousand signals: it continues as new at its next wait.
  const nobodys = Array.from({ length: 50 }, (_, index) => `nobodys-${index}`)
  const signals = async () => {
    for (const _ of nobodys) await newest.signal(decided, nobodys)
  }
  await Promise.all(Array.from({ length: 40 }, signals))
  await waitUntil(async () => (await newest.describe()).runId !== runId, within)
  // A server that still works on two thousand signals may be late: then it is asked again.
  const issued = () => issuedCalls(temporal, workflowId).catch(() => 'late' as const)
  const isIssued = async () => {
    const calls = await issued()
    return calls !== 'late' && [...(calls ?? [])].includes('0.0')
  }
  await waitUntil(isIssued, within)
  const gone = { namespace: temporal.namespace, workflowExecution: { workflowId, runId } }
  await temporal.client.workflowService.deleteWorkflowExecution(gone)
  await waitUntil(async () => (await issued()) === null, within)
  expect((await newest.describe()).status.name).toBe('RUNNING')
  await newest.terminate()
}, 300_000)
