import { describe, expect, test } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun, workflowBundle } from './scripted-run.ts'

describe('the workflow that waits for the request of a program', () => {
  test('looks when its timer or a signal, forged or not, says so, with other workers too, and ends when the row does', async () => {
    const store = new ScriptedStore([])
    const farAway = { nextDeadlineMs: 60_000 }
    store.external.push(farAway, farAway)
    const started = { external: true, nextDeadlineMs: 50, maxCachedWorkflows: 0 }
    await using run = await startScriptedRun(store, started)
    const looked = (times: number): Promise<void> =>
      waitUntil(() => (store.activityCounts.get('advanceExternal') ?? 0) >= times)
    await looked(1)
    await run.handle.signal(decided, ['of somebody else'])
    await looked(2)
    expect((await run.handle.describe()).status.name).toBe('RUNNING')
    await run.deploy(await workflowBundle())
    await run.handle.signal(decided, ['request'])
    await run.handle.result()
    expect(store.activityCounts.get('advanceExternal')).toBe(3)
  })

  test('adds at most 6 events to its history for a decision, after 5 until it waits', async () => {
    const started = { external: true, nextDeadlineMs: 60_000 }
    await using run = await startScriptedRun(new ScriptedStore([]), started)
    const events = async () => (await run.handle.fetchHistory()).events ?? []
    await waitUntil(async () => (await events()).some((event) => event.timerStartedEventAttributes))
    expect((await events()).length).toBeLessThanOrEqual(5)
    await run.handle.signal(decided, ['request'])
    await run.handle.result()
    expect((await events()).length).toBeLessThanOrEqual(11)
  })
})
