import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { startRun } from '../../runs/starting/start-run.ts'

const desk = disposeAfterTests(await openAgentDesk(testSandbox))

beforeAll(async () => {
  const shell = 'shell: { default: ask, rules: [{ pattern: git push, approval: blocked }] }\nzones:'
  await desk.activate({ 'workers/scribe.md': deskWorker.replace('zones:', shell) })
})

// Rules: product.md 1, 21
describe.skipIf(!testSandbox.works)('approve_all', () => {
  test('leaves to a person, with the reason, a command that would have to be evaluated to find a block in it', async () => {
    const commands = ['git "$(echo hsup | rev)"', 'git push', 'echo hello']
    desk.say({ calls: commands.map((command) => ({ tool: 'shell', input: { command } })) })
    const start = { worker: 'scribe', input: 'Go', mode: 'approve_all' } as const
    const { id } = await startRun(desk.api, desk.people.olga.caller, start)
    const turn = await desk.turn(id, 1)
    const calls = await desk.calls(id, 1)
    expect(calls.map((call) => call.verdict)).toEqual(['ask', 'blocked', 'preApproved'])
    const request = { request: calls[0]?.requestId ?? '' }
    const detail = await getRequest(desk.api, desk.people.grace.caller, request)
    expect(detail.state).toBe('pending')
    expect(JSON.stringify(detail)).toContain('does not approve this')
    await desk.decide(desk.people.grace, request.request)
    await desk.perform(turn)
    expect((await desk.calls(id, 1)).map((call) => call.result)).toEqual([
      'output',
      'blocked',
      'output',
    ])
  })
})
