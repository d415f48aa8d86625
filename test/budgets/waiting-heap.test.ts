import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { agentRun } from '#workflows/index.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun, type ScriptedRun } from '../workflows/scripted-run.ts'

/**
 * Budget of architecture.md: what a run that waits for people may cost the Temporal worker that
 * keeps it in memory.
 */
const maxBytes = 64 * 1024
const few = 50
const many = 250

/**
 * Bytes of the living objects in the thread that runs the workflows: a snapshot collects the
 * garbage first.
 */
async function heapOf(thread: Worker): Promise<number> {
  await text(await thread.getHeapSnapshot())
  return (await thread.getHeapStatistics()).used_heap_size
}

/** Starts runs until there are `count`, and waits until each of them waits for its request. */
async function untilWaiting(run: ScriptedRun, ids: string[], count: number): Promise<void> {
  const { workflow } = run.client
  while (ids.length < count) {
    const workflowId = `agent-run:${randomUUID()}`
    ids.push(workflowId)
    const { taskQueue } = run.store
    await workflow.start<typeof agentRun>('agentRun', {
      workflowId,
      taskQueue,
      args: [{ runId: workflowId }],
    })
  }
  for (const id of ids) {
    await waitUntil(
      async () => {
        const { raw } = await workflow.getHandle(id).describe()
        const works = (raw.pendingActivities ?? []).length > 0 || Boolean(raw.pendingWorkflowTask)
        return (
          (!works && run.store.activityCounts.get('takeTurn') === count + 1) ||
          `${id} does not wait yet`
        )
      },
      { withinMs: 240_000 },
    )
  }
}

test('a waiting run that is kept in memory costs less than 64 KB of heap', async () => {
  const threads: Worker[] = []
  const recordThread = (thread: Worker): void => void threads.push(thread)
  process.on('worker', recordThread)
  const store = new ScriptedStore([[{ requestId: 'r0' }]])
  store.deadlineMs = 3_600_000
  await using run = await startScriptedRun(store, { maxCachedWorkflows: 2 * many })
  process.off('worker', recordThread)
  const [thread, ...others] = threads
  if (thread === undefined) throw new Error('no thread runs the workflows')
  expect(others).toEqual([])
  const ids: string[] = []
  await untilWaiting(run, ids, few)
  const before = await heapOf(thread)
  await untilWaiting(run, ids, many)
  const each = Math.round(((await heapOf(thread)) - before) / (many - few))
  console.log(`a waiting run costs ${each} bytes of heap`)
  const end = (id: string) => run.client.workflow.getHandle(id).terminate('the test is over')
  await Promise.all(ids.map(end))
  expect(each).toBeLessThan(maxBytes)
}, 900_000)
