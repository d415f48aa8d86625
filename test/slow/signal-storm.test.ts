import { describe, expect, it } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun } from '../workflows/scripted-run.ts'

describe('agentRun under thousands of signals', () => {
  it('misses no decision among 2,400 signals that arrive while it continues as new', async () => {
    const ids = Array.from({ length: 24 }, (_, index) => `r${index}`)
    await using run = await startScriptedRun(
      new ScriptedStore([ids.map((requestId) => ({ requestId }))]),
    )
    await waitUntil(() => run.store.activityCounts.has('takeTurn'))
    const hasContinued = async (): Promise<boolean> => {
      const { raw, runId } = await run.handle.describe()
      return raw.workflowExecutionInfo?.firstRunId !== runId
    }
    for (const [index, id] of ids.entries()) {
      for (let round = 0; round < 2; round += 1) {
        await Promise.all(Array.from({ length: 50 }, () => run.handle.signal(decided, ['noise'])))
      }
      // With the last decision a run that is behind its signals would end, and never continue.
      if (index === ids.length - 1) await waitUntil(hasContinued)
      run.store.decided.add(id)
      await run.handle.signal(decided, [id])
    }
    await run.handle.result()
    expect(run.store.journal).toHaveLength(24)
  })
})
