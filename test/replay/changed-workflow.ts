import { sleep } from '@temporalio/workflow'
import { agentRun as shipped } from '#workflows/agent-run.ts'
import type { RunPosition } from '#workflows/messages.ts'

/** A careless change, for the gate to refuse: a timer that no recorded history has. */
export async function agentRun(start: RunPosition): Promise<void> {
  await sleep(1000)
  await shipped(start)
}
