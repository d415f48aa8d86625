import { describe, expect, test } from 'vitest'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun } from './scripted-run.ts'

/**
 * A call whose activity fails so often before the call begins; `settlement`: what the store says
 * about it each time.
 */
function callThatFails(times: number, settlement: { again: boolean } | undefined): ScriptedStore {
  const store = new ScriptedStore([])
  let failures = times
  store.replaced.executeGatewayCall = async () => {
    store.journal.push('execute')
    if (failures-- > 0) throw new Error('Postgres is away')
  }
  store.replaced.settleGatewayCall = async () => {
    store.journal.push('settle')
    return settlement
  }
  return store
}

describe('the workflow of an approved gateway call', () => {
  test('tries again what failed before it began, as long as the store says so', async () => {
    const store = callThatFails(2, { again: true })
    await using run = await startScriptedRun(store, { gateway: true })
    await run.handle.result()
    expect(store.journal).toEqual(['execute', 'settle', 'execute', 'settle', 'execute'])
  })

  test.each([{ again: false }, undefined])(
    'ends when the store does not say so: %j',
    async (settlement) => {
      const store = callThatFails(1, settlement)
      await using run = await startScriptedRun(store, { gateway: true })
      await run.handle.result()
      expect(store.journal).toEqual(['execute', 'settle'])
    },
  )

  test('continues as new when its history is long, and makes the call after that', async () => {
    const store = new ScriptedStore([])
    let isAway = true
    store.replaced.executeGatewayCall = async () => {
      if (isAway) throw new Error('Postgres is away')
    }
    store.replaced.settleGatewayCall = async () => ({ again: true })
    await using run = await startScriptedRun(store, { gateway: true })
    const { workflowId, runId } = await run.handle.describe()
    // The server suggests it beyond 4 MiB.
    const large = 'x'.repeat(256 * 1024)
    for (let sent = 0; sent < 20; sent += 1) await run.handle.signal('decided', large)
    const first = run.client.workflow.getHandle(workflowId, runId)
    await waitUntil(async () => (await first.describe()).status.name === 'CONTINUED_AS_NEW')
    isAway = false
    await run.handle.result()
  })
})
