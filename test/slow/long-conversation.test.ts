import { expect, test } from 'vitest'
import { waitUntil } from '../harness/wait-until.ts'
import { conversation, post } from '../workflows/scripted-conversation.ts'
import { deployedBundle, startScriptedRun, workflowBundle } from '../workflows/scripted-run.ts'

/** The server asks a workflow to continue as new at 4,096 events. */
const maxEvents = 4096 + 64
/** At 6 to 8 events each, more than one history takes: a message may share a workflow task. */
const turns = 800

/**
 * What starts the workers anew, at which turn: with the same code, with a deployment of changed
 * code, and once more with that.
 */
const restarts = new Map([
  [100, workflowBundle],
  [300, deployedBundle],
  [600, deployedBundle],
])

// Rules: product.md 28
test('a conversation of 800 turns takes each once, over restarts, a deployment and new executions, and its history stays bounded', async () => {
  await using run = await startScriptedRun(conversation(7 * 86_400_000))
  const { store, client, handle } = run
  const newest = client.workflow.getHandle(handle.workflowId)
  await waitUntil(() => store.journal.length > 0)
  const executions = new Set<string>()
  for (let turn = 1; turn < turns; turn += 1) {
    const bundle = await restarts.get(turn)?.()
    // Its message comes while no worker is there.
    const restart = bundle === undefined ? undefined : run.deploy(bundle)
    await post(run)
    await restart
    await waitUntil(() => store.journal.length > turn, { everyMs: 2 })
    if (turn % 20 === 0) executions.add((await newest.describe()).runId)
  }
  expect(store.journal).toEqual(Array.from({ length: turns }, (_, turn) => `turn ${turn}`))
  const lengths = await Promise.all(
    [...executions].map(async (runId) => {
      const { events } = await client.workflow.getHandle(handle.workflowId, runId).fetchHistory()
      return events?.length ?? 0
    }),
  )
  expect(lengths.length).toBeGreaterThan(1)
  expect(Math.max(...lengths)).toBeLessThan(maxEvents)
}, 600_000)
