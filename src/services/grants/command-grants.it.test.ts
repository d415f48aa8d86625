import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { executeCall } from '../engine/executions/execute-call.ts'
import { listGrants } from './list-grants.ts'

const routing = `routing:
  - { when: { tool: exec }, scopes: [once, run, command] }
`
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

beforeAll(async () => {
  await desk.activate({
    'workers/scribe.md': deskWorker.replace('zones:', 'shell: { default: ask }\nzones:'),
  })
})
beforeEach(async () => {
  desk.steps.length = 0
  await desk.activate({ 'countersign.yaml': deskConfig })
  await desk.write('notes/run.sh', 'echo first\n')
})

/** A run that executes the same script in each turn; the first call was approved with a scope. */
async function granted(scope: 'run' | 'command'): Promise<string> {
  const call = { tool: 'exec', input: { file: 'sh', args: ['notes/run.sh'] } }
  desk.say({ calls: [call] }, { calls: [call] }, { calls: [call] })
  const { runId, turn } = await desk.startTurn()
  const [first] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, first?.requestId ?? '', { scope })
  await desk.perform(turn)
  return runId
}

// Rules: product.md 10; security.md 16
describe.skipIf(!testSandbox.works)('an approval of a command', () => {
  test('for the run covers the same vector while the files it names are unchanged', async () => {
    const runId = await granted('run')
    await desk.perform(await desk.turn(runId, 2))
    const [same] = await desk.calls(runId, 2)
    expect(same).toMatchObject({ verdict: 'preApproved', text: expect.stringContaining('first') })
    await desk.write('notes/run.sh', 'echo second\n')
    await desk.turn(runId, 3)
    expect(await desk.calls(runId, 3)).toMatchObject([{ verdict: 'ask', result: null }])
  })

  test('for the run asks after all when a named file changes before the call runs', async () => {
    const runId = await granted('run')
    const turn = await desk.turn(runId, 2)
    expect(await desk.calls(runId, 2)).toMatchObject([{ verdict: 'preApproved' }])
    await desk.write('notes/run.sh', 'echo second\n')
    await desk.perform(turn)
    expect(await desk.calls(runId, 2)).toMatchObject([{ verdict: 'ask', result: null }])
  })

  test('for the run no longer covers a call whose files become too much while it is about to run, and the model reads why', async () => {
    const runId = await granted('run')
    await desk.turn(runId, 2)
    const [call] = await desk.calls(runId, 2)
    let looks = 0
    const worker: typeof desk.worker = {
      ...desk.worker,
      async registryOf(...place) {
        const registry = await desk.worker.registryOf(...place)
        const tool = registry.get('exec')
        if (tool?.restsOn === undefined) throw new Error('a command rests on nothing')
        const { restsOn } = tool
        const growing: Tool = {
          ...tool,
          async restsOn(input, workspace) {
            looks += 1
            if (looks === 2) await truncate(join(desk.root, 'notes/run.sh'), 9 * 1024 ** 3)
            return restsOn(input, workspace)
          },
        }
        return { ...registry, get: (name) => (name === 'exec' ? growing : registry.get(name)) }
      },
    }
    const { signal } = new AbortController()
    const outcome = await executeCall(worker, { callId: call?.id ?? '', signal })
    expect(looks).toBeGreaterThan(1)
    expect(outcome).toEqual({ kind: 'done' })
    expect(await desk.calls(runId, 2)).toMatchObject([
      { result: 'error', text: expect.stringContaining('names too much for its approver') },
    ])
    expect(await rowsOf(desk.database.db, 'execution', { call_id: call?.id ?? '' })).toEqual([])
  })

  test('with scope command covers it whatever the file contains, where routing lists that scope', async () => {
    await desk.activate({
      'countersign.yaml': deskConfig.replace('rights:', `${routing}rights:`),
    })
    const runId = await granted('command')
    await desk.write('notes/run.sh', 'echo second\n')
    await desk.perform(await desk.turn(runId, 2))
    const [changed] = await desk.calls(runId, 2)
    expect(changed).toMatchObject({
      verdict: 'preApproved',
      text: expect.stringContaining('second'),
    })
  })

  test('is offered scope command by an entry that contains the whole vector, not by one that names only the shell', async () => {
    const offered = async (command: string) => {
      const entry = `routing:\n  - { when: { command: ${command} }, scopes: [once, run, command] }\n`
      await desk.activate({
        'countersign.yaml': deskConfig.replace('rights:', `${entry}rights:`),
      })
      desk.steps.length = 0
      const runId = await desk.start()
      const call = await proposeCall(desk, runId, 1, {
        tool: 'exec',
        input: { file: 'sh', args: ['notes/run.sh'] },
      })
      const { caller } = desk.people.grace
      return getRequest(desk.api, caller, { request: call.requestId })
    }
    const spelled = await offered('sh notes/run.sh')
    expect(spelled.allowedScopes).toEqual(['once', 'run', 'command'])
    expect((await offered('sh')).allowedScopes).toEqual(['once', 'run'])
  })

  test('is offered scope command only if routing lists it, and names the files that it depends on', async () => {
    const runId = await desk.start()
    const call = await proposeCall(desk, runId, 1, {
      tool: 'exec',
      input: { file: 'sh', args: ['notes/run.sh'] },
    })
    const { caller } = desk.people.grace
    const request = await getRequest(desk.api, caller, { request: call.requestId })
    expect(request.allowedScopes).toEqual(['once', 'run'])
    expect(request.scopesNotOffered).toEqual([
      { scope: 'command', why: 'no routing entry lists it for the whole call' },
    ])
    const [, run] = request.scopeCoverage
    expect(run?.files.map(({ path }) => path)).toEqual([
      'notes/run.sh',
      expect.stringMatching(/\/sh$|dash$|bash$/),
    ])
  })

  test('has no effect while a shell rule blocks the command, and the list says so', async () => {
    const runId = await granted('run')
    const dormantReason = async () =>
      (await listGrants(desk.api, desk.people.ada.caller, { runId }))[0]?.dormant
    expect(await dormantReason()).toBeNull()
    const shell = 'shell: { default: ask, rules: [{ pattern: sh, approval: blocked }] }'
    const before = deskWorker.replace('zones:', 'shell: { default: ask }\nzones:')
    await desk.activate({ 'workers/scribe.md': deskWorker.replace('zones:', `${shell}\nzones:`) })
    expect(await dormantReason()).toBe(
      'the policy in force blocks it for scribe: shell rule "sh" is blocked',
    )
    await desk.activate({ 'workers/scribe.md': before })
    expect(await dormantReason()).toBeNull()
  })
})
