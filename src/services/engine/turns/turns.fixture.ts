import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { messageRun } from '../../runs/message-run.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'

export let desk: AgentDesk

/** Opens the desk of a file of tests about turns, with one file to read. */
export function useTurnDesk(): void {
  beforeAll(async () => {
    desk = await openAgentDesk()
    await desk.write('notes/1.md', 'one\n')
  })
  afterAll(() => desk[Symbol.asyncDispose]())
  beforeEach(async () => {
    // A repeated write of the same text would change nothing, and ask nobody.
    await rm(join(desk.root, 'notes'), { recursive: true })
    await desk.write('notes/1.md', 'one\n')
    desk.steps.length = 0
    desk.executed.length = 0
    desk.modelRequests.length = 0
  })
}

export const aRead = { tool: 'read_file', input: { path: 'notes/1.md' } }
export const aWrite = { tool: 'write_file', input: { path: 'notes/new.md', content: 'new\n' } }

export async function runRow(runId: string) {
  return rowOf(desk.database.db, 'run', { id: runId })
}

export async function say(runId: string, text: string) {
  return messageRun(desk.api, desk.people.ada.caller, { runId, text })
}
