import { describe, expect, test } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun, workflowBundle } from './scripted-run.ts'

describe('the workflow that waits for the request of a program', () => {
  test('looks when its timer or a signal, forged or not, says so, with other workers too, and ends when the row does', async () => {
    const store = new ScriptedStore([])
    const farAway = { nextDeadlineMs: 60_000 }
    store.external.push({ nextDeadlineMs: 50 }, farAway, farAway)
    await using run = await startScriptedRun(store, { external: true, maxCachedWorkflows: 0 })
    const looked = (times: number): Promise<void> =>
      waitUntil(() => (store.asked.get('advanceExternal') ?? 0) >= times, { withinMs: 90_000 })
    await looked(2)
    await run.handle.signal(decided, ['of somebody else'])
    await looked(3)
    expect((await run.handle.describe()).status.name).toBe('RUNNING')
    await run.deploy(await workflowBundle())
    await run.handle.signal(decided, ['request'])
    await run.handle.result()
    expect(store.asked.get('advanceExternal')).toBe(4)
  })
})
