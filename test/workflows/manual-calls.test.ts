import { describe, expect, it } from 'vitest'
import { called, cancelRequested, decided } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import {
  decide,
  ScriptedStore,
  startScriptedRun,
  untilCalled,
  type ScriptedRun,
} from './scripted-run.ts'

async function untilEntered(run: ScriptedRun, ...callIds: string[]): Promise<void> {
  await waitUntil(() => callIds.every((id) => run.store.journal.includes(`entered ${id}`)))
}

describe('calls of people', () => {
  // Rules: product.md 5
  it('are carried out while the model’s own call waits for a decision, and enter the transcript once', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.signal(called, ['m1'])
    await run.handle.signal(called, ['m1'])
    await untilEntered(run, 'm1')
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['m1', 'entered m1', '0.0'])
  })

  it('wait for their own decision, also when it is recorded while a turn begins', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }], [{ requestId: 'b' }]])
    store.waitsFor.set('m1', 'm')
    await using run = await startScriptedRun(store)
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.signal(called, ['m1'])
    await untilCalled(run, 'executeCall', 1)
    await decide(run, 'a', 'm')
    await untilEntered(run, 'm1')
    await decide(run, 'b')
    await run.handle.result()
    expect(store.journal.toSorted()).toEqual(['0.0', '1.0', 'entered m1', 'm1'])
  })

  it('that a run finds when it begins are brought on without a signal', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.manualCalls.push('m1')
    await using run = await startScriptedRun(store)
    await untilEntered(run, 'm1')
    await decide(run, 'a')
    await run.handle.result()
  })

  it('end with the run: one that waits is not carried out', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.waitsFor.set('m1', 'm')
    await using run = await startScriptedRun(store)
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.signal(called, ['m1'])
    await untilCalled(run, 'executeCall', 1)
    store.cancelled = true
    await run.handle.signal(cancelRequested)
    await run.handle.result()
    expect(store.journal).toEqual([])
  })

  it('are the same when no workflow is kept in memory, and nonsense in the signal changes nothing', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    await using run = await startScriptedRun(store, { maxCachedWorkflows: 0 })
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.signal('called', 'not a list')
    await run.handle.signal('called', [3, null, { length: 2 }])
    await run.handle.signal(called, ['m1', 'm2'])
    await untilEntered(run, 'm1', 'm2')
    await decide(run, 'a')
    await run.handle.result()
    expect(store.journal.filter((entry) => entry.startsWith('m')).toSorted()).toEqual(['m1', 'm2'])
  })

  it('that wait go on after the run continues as new', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.waitsFor.set('m1', 'm')
    await using run = await startScriptedRun(store)
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.signal(called, ['m1'])
    await untilCalled(run, 'executeCall', 1)
    // Two thousand signals: the run continues as new at its next wait.
    const signals = async () => {
      for (let times = 0; times < 50; times += 1) await run.handle.signal(decided, ['nobodys'])
    }
    await Promise.all(Array.from({ length: 40 }, signals))
    await untilCalled(run, 'takeTurn', 2)
    store.decided.add('m')
    await run.client.workflow.getHandle(run.handle.workflowId).signal(decided, ['m'])
    await untilEntered(run, 'm1')
    store.decided.add('a')
    await run.client.workflow.getHandle(run.handle.workflowId).signal(decided, ['a'])
    await run.handle.result()
  }, 240_000)
})
