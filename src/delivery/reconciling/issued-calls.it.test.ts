import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useTemporal } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { ScriptedStore, startScriptedRun } from '#test/workflows/scripted-run.ts'
import { decided } from '#workflows/messages.ts'
import { connectTemporal, type TemporalClient } from '../temporal-client.ts'
import { issuedCalls } from './issued-calls.ts'

let temporal: TemporalClient
beforeAll(async () => {
  temporal = connectTemporal(await useTemporal())
})
afterAll(() => temporal[Symbol.asyncDispose]())

it('names the calls that a workflow passed to an executor, and none that waits for people', async () => {
  const store = new ScriptedStore([[{}, { requestId: 'a' }, {}]])
  await using run = await startScriptedRun(store)
  const { workflowId } = run.handle
  const issued = async () => [...((await issuedCalls(temporal, workflowId)) ?? [])]
  await waitUntil(() => store.journal.length === 1)
  await waitUntil(async () => (await issued()).length === 1)
  expect(await issued()).toEqual(['0.0'])
  store.decided.add('a')
  await run.handle.signal(decided, ['a'])
  await run.handle.result()
  expect((await issued()).toSorted()).toEqual(['0.0', '0.1', '0.2'])
})

it('returns that nothing is known of a workflow whose history is removed after it was listed', async () => {
  const workflowId = `removed-${randomUUID()}`
  const removed = { workflowId, runId: randomUUID() }
  const { client } = temporal
  const workflow = Object.create(client.workflow, {
    list: {
      value: async function* () {
        yield removed
      },
    },
  })
  const listing = { ...temporal, client: Object.create(client, { workflow: { value: workflow } }) }
  expect(await issuedCalls(listing, workflowId)).toBeNull()
})

it('returns that nothing is known of a workflow without a history in Temporal', async () => {
  expect(await issuedCalls(temporal, 'run-of"nobody')).toBeNull()
})
