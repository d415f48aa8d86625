import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import { expect, test, vi } from 'vitest'
import { PermissionProxy } from '#cli/acp/permission-proxy.ts'
import { queueJudge } from '#cli/acp/queue-judge.ts'
import { runAcp } from '#cli/acp/run-acp.ts'
import { WaitingCalls } from '#cli/hook/waiting/waiting-calls.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { newFolder } from '../../harness/new-folder.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createProgram } from '../program.ts'
import { createTestApi, type Reply } from '../test-api.ts'
import { openBreakableWay } from '../requests/breakable-way.ts'
import { decideAsShown, requestNamed } from '../requests/as-shown.ts'

const api = disposeAfterTests(await createTestApi({ events: 'live' }))
const grace = await api.signIn(api.people.grace)
const ada = await api.signIn(api.people.ada)
const program = await createProgram(api, ada)
const folder = newFolder('countersign acp ')

const fixture = join(import.meta.dirname, 'acp-agent.ts')

/** An editor with the agent behind the proxy. */
async function openEditor({ key = program.key, waitMs = 60_000, url = api.url } = {}) {
  const input = new PassThrough()
  const output = new PassThrough()
  const sentences: string[] = []
  const ended = runAcp({
    agent: [process.execPath, fixture],
    cwd: folder,
    judge: queueJudge({
      service: { url, apiKey: key },
      title: 'test-agent (ACP)',
      root: folder,
      hostProof: null,
      waitMs,
      waiting: new WaitingCalls(join(folder, 'state')),
    }),
    input,
    output,
    warn: (sentence) => sentences.push(sentence),
  })
  const updates: string[] = []
  let callCount = 0
  const { agent } = client({ name: 'editor' })
    .onRequest('session/request_permission', () => {
      callCount += 1
      return { outcome: { outcome: 'selected', optionId: 'allow_always' } }
    })
    .onNotification('session/update', ({ params: { update } }) => {
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') {
        updates.push(update.content.text)
      }
    })
    .connect(ndJsonStream(Writable.toWeb(input), Readable.toWeb(output)))
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  await agent.request('session/new', { cwd: folder, mcpServers: [] })
  return {
    agent,
    sentences,
    prompt: async (call: object): Promise<string | undefined> => {
      const prompt = [{ type: 'text' as const, text: JSON.stringify(call) }]
      await agent.request('session/prompt', { sessionId: 's1', prompt })
      expect(callCount).toBe(0)
      return updates.at(-1)
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      input.end()
      await ended
    },
  }
}

const call = (toolCallId: string, more: object = {}) => ({
  toolCallId,
  kind: 'execute',
  rawInput: { command: `mkdir ${toolCallId}` },
  ...more,
})
const requestOf = (toolCallId: string): Promise<Reply['body']> =>
  requestNamed(api, grace, `acp:s1:${toolCallId}`)
const decide = (request: Reply['body'], decision: string, who = grace): Promise<Reply> =>
  decideAsShown(who, request, decision, 'not on a Friday')

test('a call that an agent asks its person about waits for somebody else, is allowed once, and its outcome is reported', async () => {
  await using editor = await openEditor()
  const answer = editor.prompt(call('one'))
  const request = await requestOf('one')
  expect(request).toMatchObject({
    tool: 'acp:execute',
    risk: 'high',
    input: { rawInput: { command: 'mkdir one' }, title: 'Make it' },
    external: { origin: { program: 'test-agent (ACP)', folder: expect.anything() } },
  })
  expect((await decide(request, 'approve', ada)).status).toBe(403)
  expect((await decide(request, 'approve')).status).toBe(200)
  expect(await answer).toBe('allow_once')
  await waitUntil(async () => (await requestOf('one')).external.outcome?.state === 'succeeded', {
    withinMs: 30_000,
  })
})

test('a denial is the agent’s own answer for one refusal, with the reason for its person; a tool does not become one of ours by its name', async () => {
  await using editor = await openEditor()
  const answer = editor.prompt(call('two', { kind: 'other', rawInput: undefined, title: 'Bash' }))
  const request = await requestOf('two')
  expect(request).toMatchObject({ tool: 'acp:unseen_other', risk: 'high' })
  expect((await decide(request, 'deny')).status).toBe(200)
  expect(await answer).toBe('reject_once')
  expect(editor.sentences.join()).toContain('not on a Friday')
})

test('a call that nobody decides in time is denied, and goes on after a restart of the proxy', async () => {
  {
    await using editor = await openEditor({ waitMs: 1500 })
    expect(await editor.prompt(call('three'))).toBe('reject_once')
    expect(editor.sentences.join()).toContain('waits as #')
  }
  const request = await requestOf('three')
  expect((await decide(request, 'approve')).status).toBe(200)
  await using editor = await openEditor()
  expect(await editor.prompt(call('three'))).toBe('allow_once')
})

test('a cancelled turn takes its request back, and a service that is away denies', async () => {
  await using editor = await openEditor()
  const answer = editor.prompt(call('four'))
  await requestOf('four')
  await editor.agent.notify('session/cancel', { sessionId: 's1' })
  expect(await answer).toBe('cancelled')
  await waitUntil(async () => (await requestOf('four')).state === 'cancelled', { withinMs: 30_000 })
  await using alone = await openEditor({ url: 'http://127.0.0.1:9' })
  expect(await alone.prompt(call('five'))).toBe('reject_once')
})

test.each(['message', 'answer'] as const)(
  'a turn that is cancelled while the %s about its request is under way leaves no request behind',
  async (what) => {
    await using way = await openBreakableWay(api.url)
    const release = way.hold(what)
    await using editor = await openEditor({ url: way.url })
    const answer = editor.prompt(call(`late-${what}`))
    await waitUntil(() => Promise.resolve(way.paths.includes('/v1/requests')), {
      withinMs: 30_000,
    })
    if (what === 'answer') await requestOf('late-answer')
    await editor.agent.notify('session/cancel', { sessionId: 's1' })
    expect(await answer).toBe('cancelled')
    await release()
    await waitUntil(async () => (await requestOf(`late-${what}`)).state === 'cancelled', {
      withinMs: 30_000,
    })
    const rows = await rowsOf(api.database.db, 'external_request', {}, 'external_id')
    expect(rows.filter(({ external_id }) => external_id === `acp:s1:late-${what}`)).toHaveLength(1)
  },
)

test('an editor that closes during an opening leaves no request behind', async () => {
  await using way = await openBreakableWay(api.url)
  const release = way.hold('answer')
  {
    await using editor = await openEditor({ url: way.url })
    editor.prompt(call('closed')).catch(() => undefined)
    await requestOf('closed')
  }
  expect((await requestOf('closed')).state).toBe('cancelled')
  await release()
})

test('a cancelled call is answered at once while the service is away, and its request is found again', async () => {
  await using way = await openBreakableWay(api.url)
  const { url } = way
  const id = await (async () => {
    await using editor = await openEditor({ url })
    const answer = editor.prompt(call('away'))
    const request = await requestOf('away')
    way.break()
    const began = performance.now()
    await editor.agent.notify('session/cancel', { sessionId: 's1' })
    expect(await answer).toBe('cancelled')
    expect(performance.now() - began).toBeLessThan(5000)
    return request.id
  })()
  // The request could not be taken back: its name is kept, and the same call goes on with it.
  way.mend()
  expect((await requestOf('away')).state).toBe('pending')
  await using editor = await openEditor({ url })
  const again = editor.prompt(call('away-again', { rawInput: { command: 'mkdir away' } }))
  expect((await decide(await requestOf('away'), 'approve')).status).toBe(200)
  expect(await again).toBe('allow_once')
  expect((await requestOf('away')).id).toBe(id)
})

test('a call that an agent asks about after the end is refused, and opens no request', async () => {
  const questions: string[] = []
  const answers: object[] = []
  const proxy = new PermissionProxy({
    judge: {
      decide: async ({ tool_name }) => {
        questions.push(tool_name)
        return { decision: 'allow', reason: '' }
      },
      report: async () => undefined,
    },
    cwd: folder,
    answer: (message) => answers.push(message),
    warn: () => undefined,
  })
  await proxy.end()
  const toolCall = { toolCallId: 'x', kind: 'execute', rawInput: { command: 'ls' } }
  const options = [{ optionId: 'yes', kind: 'allow_once' }]
  const params = { sessionId: 's1', toolCall, options }
  await proxy.fromAgent({ id: 1, method: 'session/request_permission', params })
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  expect(answers).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }])
  expect(questions).toEqual([])
})
