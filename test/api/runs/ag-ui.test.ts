import { expect, test } from 'vitest'
import { HttpAgent, type BaseEvent } from '@ag-ui/client'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { openDeskApi } from '../desk-api.ts'
import { createProgram } from '../program.ts'

const api = disposeAfterTests(await openDeskApi())
const { key } = await createProgram(api, await api.signIn('ada'), ['runs:read'])
const headers = { authorization: `Bearer ${key}` }

/** A chat front end: the official client, which checks what it is sent. */
function frontEnd(runId: string) {
  const url = `${api.url}/v1/runs/${runId}/ag-ui`
  const agent = new HttpAgent({ url, headers, threadId: runId })
  const events: BaseEvent[] = []
  return {
    agent,
    events,
    types: (): string[] => events.map(({ type }) => type),
    run: (resume?: Parameters<HttpAgent['runAgent']>[0]) =>
      agent.runAgent(resume, {
        onEvent: ({ event }) => {
          events.push(event)
        },
      }),
  }
}

// Rules: product.md 47
test('a front end of AG-UI shows a run whose approval is given elsewhere by somebody else', async () => {
  const { desk } = api
  desk.say(
    {
      text: 'I write the note.',
      calls: [{ id: 'w1', tool: 'write_file', input: { path: 'notes/a.md', content: 'x\n' } }],
    },
    { text: 'It is written.' },
  )
  const { runId, turn } = await desk.startTurn()
  const [call] = await desk.calls(runId, 1)
  const requestId = call?.requestId ?? ''
  const chat = frontEnd(runId)
  await chat.run()
  expect(chat.types()).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    ...chat.types().filter((type) => type === 'TEXT_MESSAGE_CONTENT'),
    'TEXT_MESSAGE_END',
    'TOOL_CALL_START',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_END',
    'RUN_FINISHED',
  ])
  expect(chat.agent.pendingInterrupts).toMatchObject([
    {
      id: requestId,
      reason: 'tool_call',
      toolCallId: 'w1',
      metadata: { countersign: { requestId } },
    },
  ])
  expect(chat.agent.messages.map(({ role, content }) => [role, content])).toEqual([
    ['assistant', 'I write the note.'],
    ['assistant', undefined],
  ])
  // What the front end sends as its own person's answer decides nothing.
  const yes = { interruptId: requestId, status: 'resolved', payload: { approved: true } } as const
  const resumed = chat.run({ resume: [yes] })
  await waitUntil(() => chat.types().filter((type) => type === 'RUN_STARTED').length === 2)
  expect((await (await api.signIn('linus')).get(`/v1/requests/${requestId}`)).body.state).toBe(
    'pending',
  )
  expect(desk.executed).toEqual([])
  await desk.decide(desk.people.linus, requestId)
  await desk.perform(turn)
  await desk.turn(runId, 2)
  await resumed
  expect(desk.executed).toEqual(['write_file'])
  expect(chat.agent.pendingInterrupts).toEqual([])
  expect(chat.agent.messages.map(({ role }) => role)).toEqual([
    'assistant',
    'assistant',
    'tool',
    'assistant',
  ])
  expect(chat.agent.messages.at(-1)?.content).toBe('It is written.')
  expect(chat.types().filter((type) => type === 'TOOL_CALL_START')).toHaveLength(1)
  // A front end that was away gets every message, and none of them twice.
  const late = frontEnd(runId)
  await late.run()
  expect(late.agent.messages).toEqual(chat.agent.messages)
  await late.run()
  expect(late.agent.messages).toEqual(chat.agent.messages)
})

test('a denial is a result, a failed run is an error, and a run of others is none', async () => {
  const { desk } = api
  desk.say(
    { calls: [{ id: 'w2', tool: 'write_file', input: { path: 'notes/b.md', content: 'x\n' } }] },
    { text: 'Well.' },
  )
  const { runId, turn } = await desk.startTurn()
  const [call] = await desk.calls(runId, 1)
  await desk.decide(desk.people.linus, call?.requestId ?? '', { decision: 'deny', reason: 'no' })
  await desk.perform(turn)
  await desk.turn(runId, 2)
  const chat = frontEnd(runId)
  await chat.run()
  expect(chat.agent.messages).toContainEqual(
    expect.objectContaining({
      role: 'tool',
      toolCallId: 'w2',
      content: expect.stringContaining('did not run'),
    }),
  )
  // This run has no request for the team of Grace.
  const own = await desk.start()
  const graces = await createProgram(api, await api.signIn('grace'), ['runs:read'])
  const narrow = await createProgram(api, await api.signIn('ada'), ['requests:read'])
  for (const [key, status] of [
    [graces.key, 404],
    [narrow.key, 403],
    ['cs_0123456789abcdef_nobodys', 401],
  ] as const) {
    const refused = await fetch(`${api.url}/v1/runs/${own}/ag-ui`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: own, runId: 'r', messages: [] }),
    })
    expect(refused.status).toBe(status)
  }
})
