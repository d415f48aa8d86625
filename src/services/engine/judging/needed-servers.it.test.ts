import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openMcpDesk } from '#test/harness/fixtures/mcp-desk.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { takeTurn } from '../turns/take-turn.ts'
import { judgeCall } from './judge-call.ts'

const mcp = disposeAfterTests(await openMcpDesk('add: preApproved'))

/** The tools that are looked up, for each time that a registry is built; null: all. */
const needs: (readonly string[] | null)[] = []
const worker: WorkerContext = {
  ...mcp.worker,
  registryOf(policy, name, needed) {
    needs.push(needed ?? null)
    return mcp.worker.registryOf(policy, name, needed)
  },
}

// Rules: security.md 27
test('judging needs the servers of the calls that are judged, and no other one', async () => {
  const { desk } = mcp
  const call = { tool: 'read_file', input: { path: 'notes/1.md' } }
  desk.say({ calls: [call] })
  const runId = await desk.start()
  await takeTurn(worker, { runId, turn: 1, signal: new AbortController().signal })
  expect(await desk.calls(runId, 1)).toMatchObject([{ verdict: 'preApproved' }])
  // The model gets all tools.
  expect(needs).toEqual([null, ['read_file']])
  const question = { worker: 'scribe', tool: 'mcp__sums__add', input: { a: 1, b: 2 } }
  const { judgement } = await judgeCall(worker, { ...question, present: false }, 'test')
  expect(judgement.tool).toBe('mcp__sums__add')
  expect(needs.slice(2)).toEqual([['mcp__sums__add']])
})
