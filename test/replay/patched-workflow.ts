import { patched, sleep } from '@temporalio/workflow'
import { agentRun as shipped } from '#workflows/agent-run.ts'
import type { RunPosition } from '#workflows/messages.ts'

/**
 * The same change as in changed-workflow.ts, made the right way: runs that began before it go their
 * old way.
 */
export async function agentRun(start: RunPosition): Promise<void> {
  if (patched('wait-a-moment-first')) await sleep(10)
  await shipped(start)
}
