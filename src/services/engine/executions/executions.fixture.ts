import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'

export let desk: AgentDesk
export const { aWrite, anApprovedWrite, executions, onlyCall, requestRow, newPath } = gatedWrites(
  () => desk,
)

/**
 * Opens a desk for a file of tests about executions. Before each test the script of the model is
 * empty, no effect is recorded and no tool is held back.
 */
export function useExecutionDesk(): void {
  beforeAll(async () => {
    desk = await openAgentDesk()
  })
  afterAll(() => desk[Symbol.asyncDispose]())
  beforeEach(() => {
    desk.steps.length = 0
    desk.executed.length = 0
    desk.beforeExecute = async () => undefined
  })
}
