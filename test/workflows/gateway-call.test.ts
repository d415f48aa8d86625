import { Context } from '@temporalio/activity'
import { optionalTsToMs } from '@temporalio/common/lib/time.js'
import { describe, expect, test } from 'vitest'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun } from './scripted-run.ts'

const fresh = { gateway: { lostTries: 0 } }

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
  store.replaced.settleGatewayCall = async ({ lostTries }) => {
    store.journal.push(`settle, lost ${String(lostTries)}`)
    return settlement
  }
  return store
}

/** The timers of a run, in milliseconds. */
async function waitsOf({ handle }: Awaited<ReturnType<typeof startScriptedRun>>) {
  const { events } = await handle.fetchHistory()
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer == null ? [] : [optionalTsToMs(timer.startToFireTimeout) ?? 0],
  )
}

describe('the workflow of an approved gateway call', () => {
  test('tries again what failed before it began, as long as the store says so', async () => {
    const store = callThatFails(2, { again: true })
    await using run = await startScriptedRun(store, fresh)
    await run.handle.result()
    const failed = ['execute', 'settle, lost 0']
    expect(store.journal).toEqual([...failed, ...failed, 'execute'])
    expect(await waitsOf(run)).toEqual([1000, 2000])
  })

  test.each([{ again: false }, undefined])(
    'ends when the store does not say so: %j',
    async (settlement) => {
      const store = callThatFails(1, settlement)
      await using run = await startScriptedRun(store, fresh)
      await run.handle.result()
      expect(store.journal).toEqual(['execute', 'settle, lost 0'])
    },
  )

  // Rules: security.md 27
  test('tells the store how many tries were lost with their host, and begins the next one apart from others', async () => {
    const store = new ScriptedStore([])
    const counts: unknown[] = []
    // Without a heartbeat, as if its host had died.
    store.replaced.executeGatewayCall = () => Context.current().cancelled
    store.replaced.settleGatewayCall = async ({ lostTries }) => {
      counts.push(lostTries)
      return { again: counts.length < 2 }
    }
    await using run = await startScriptedRun(store, fresh)
    await run.handle.result()
    expect(counts).toEqual([1, 2])
    const [waitMs, ...others] = await waitsOf(run)
    expect(others).toEqual([])
    expect(waitMs).toBeGreaterThan(1000)
    expect(waitMs).toBeLessThanOrEqual(11_000)
  })

  test('continues as new when its history is long, tries again after that, and keeps the count', async () => {
    const store = new ScriptedStore([])
    const counts: unknown[] = []
    let isAway = true
    store.replaced.executeGatewayCall = async () => {
      if (isAway) throw new Error('Postgres is away')
    }
    store.replaced.settleGatewayCall = async ({ lostTries }) => {
      counts.push(lostTries)
      return { again: true }
    }
    await using run = await startScriptedRun(store, { gateway: { lostTries: 1 } })
    const { workflowId, runId } = await run.handle.describe()
    // The server suggests it beyond 4 MiB.
    const large = 'x'.repeat(256 * 1024)
    for (let sent = 0; sent < 20; sent += 1) await run.handle.signal('decided', large)
    const first = run.client.workflow.getHandle(workflowId, runId)
    await waitUntil(async () => (await first.describe()).status.name === 'CONTINUED_AS_NEW')
    const before = counts.length
    await waitUntil(() => counts.length > before)
    isAway = false
    await run.handle.result()
    expect(new Set(counts)).toEqual(new Set([1]))
  })
})
