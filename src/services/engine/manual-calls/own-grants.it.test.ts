import { beforeEach, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { invokeTool, type InvokedTool } from './invoke-tool.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { ada, grace, olga } = desk.people
// Olga may invoke tools in other people's runs, by manageRuns, and approve calls.
await desk.activate({
  'countersign.yaml': deskConfig.replace(
    'linus@example.com] }',
    'linus@example.com, olga@example.com] }',
  ),
  'workers/scribe.md': deskWorker.replace(
    '---\nYou',
    'tools:\n  write_file: { manual: true }\n---\nYou',
  ),
})

beforeEach(() => {
  desk.executed.length = 0
})

function invoke(
  who: TestPerson,
  runId: string,
  input: { path: string; content: string },
): Promise<InvokedTool> {
  return invokeTool(desk.api, who.caller, { runId, tool: 'write_file', input })
}

// Rules: product.md 10, 17
test.each(['run', 'path'] as const)(
  'a grant for the %s lets others invoke what it covers, and never its giver, who is asked about',
  async (scope) => {
    const input = { path: `notes/${scope}.md`, content: 'agreed\n' }
    const { id } = await startRun(desk.api, ada.caller, { worker: 'scribe', input: 'Go' })
    const first = await invoke(ada, id, input)
    await desk.decide(olga, first.requestId ?? '', { scope })
    expect(await desk.execute(first.callId)).toEqual({ kind: 'done' })
    await desk.write(input.path, 'changed since\n')
    const again = await invoke(ada, id, input)
    expect(again.verdict).toBe('preApproved')
    expect(await desk.execute(again.callId)).toEqual({ kind: 'done' })
    await desk.write(input.path, 'changed since\n')
    const content = scope === 'path' ? 'as Olga alone wants it\n' : input.content
    const own = await invoke(olga, id, { ...input, content })
    expect(own.verdict).toBe('ask')
    await expect(desk.decide(olga, own.requestId ?? '')).rejects.toMatchObject({
      code: 'not_eligible',
    })
    expect(await desk.execute(own.callId)).toMatchObject({ kind: 'wait' })
    expect(await desk.read(input.path)).toBe('changed since\n')
    await desk.decide(grace, own.requestId ?? '')
    expect(await desk.execute(own.callId)).toEqual({ kind: 'done' })
  },
)
