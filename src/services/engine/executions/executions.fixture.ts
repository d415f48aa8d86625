import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'

export let desk: AgentDesk
export const { aWrite, executions, onlyCall, requestRow, newPath } = gatedWrites(() => desk)

/**
 * Opens a desk for a file of tests about executions; each test begins with nothing said, done or
 * held back.
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
