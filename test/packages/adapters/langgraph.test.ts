import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { Annotation, Command, interrupt, MemorySaver, StateGraph } from '@langchain/langgraph'
import { createAgent, humanInTheLoopMiddleware, tool, type AgentMiddleware } from 'langchain'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { z } from 'zod'
import { answerInterrupts, type GraphInterrupt } from '@countersign/langchain'
import { openApprovalDesk } from './approval-desk.ts'

const desk = disposeAfterTests(await openApprovalDesk())

const thread = (name: string) => ({ configurable: { thread_id: name } })
const pausesOf = (result: unknown) =>
  (result as { __interrupt__?: GraphInterrupt[] }).__interrupt__ ?? []

const may = { allow_accept: true, allow_edit: true, allow_ignore: true, allow_respond: true }
const inbox = (action: string, config = may) => ({
  action_request: { action, args: { what: action } },
  config,
  description: 'a call of the graph',
})

/** A graph of somebody's own that pauses for the agent inbox, in two nodes at once. */
function inboxGraph(checkpointer: MemorySaver) {
  const answers = Annotation<unknown[]>({
    reducer: (old, more) => [...old, ...more],
    default: () => [],
  })
  const calls = [inbox('ship'), inbox('erase'), inbox('mail', { ...may, allow_respond: false })]
  const fixed = inbox('scale', { ...may, allow_edit: false })
  return new StateGraph(Annotation.Root({ answers }))
    .addNode('many', () => ({ answers: interrupt<unknown, unknown[]>(calls) }))
    .addNode('one', () => ({
      answers: interrupt([fixed, inbox('hide', { ...may, allow_accept: false })]),
    }))
    .addEdge('__start__', 'many')
    .addEdge('__start__', 'one')
    .compile({ checkpointer })
}

test("a graph's pauses in the shape of the agent inbox are answered in it, each call in its order", async () => {
  const checkpointer = new MemorySaver()
  const pauses = pausesOf(await inboxGraph(checkpointer).invoke({}, thread('inbox')))
  const first = await answerInterrupts(desk.client, pauses)
  expect([first.waiting.length, first.resume]).toEqual([4, null])
  await desk.revise('ship', { what: 'less' })
  await desk.decide('ship', 'approve')
  await desk.decide('erase', 'deny')
  await desk.decide('mail', 'deny')
  await expect(desk.revise('scale', { what: 'less' })).rejects.toThrow('edits_off')
  expect((await answerInterrupts(desk.client, pauses)).waiting).toHaveLength(1)
  const scaled = await desk.decide('scale', 'approve')
  const { resume, taken } = await answerInterrupts(desk.client, pauses)
  const { answers } = await inboxGraph(checkpointer).invoke(
    new Command({ resume: resume ?? {} }),
    thread('inbox'),
  )
  const refused = (words: string) => ({
    type: 'response',
    args: expect.stringContaining(`Countersign: not run. ${words}`),
  })
  expect(answers).toEqual([
    { type: 'edit', args: { action: 'ship', args: { what: 'less' } } },
    refused('Grace denied this: looked at it'),
    { type: 'ignore', args: null },
    { type: 'accept', args: null },
    refused('its graph lets nobody approve this'),
  ])
  expect(taken.map(({ name }) => name)).toEqual(['ship', 'scale'])
  await desk.client.report(scaled.id, { state: 'succeeded' })
  expect(await desk.stateOf(scaled.id)).toEqual({ state: 'approved', execution: 'succeeded' })
  const { resume: again } = await answerInterrupts(desk.client, pauses)
  expect(JSON.stringify(again)).not.toMatch(/"(accept|edit)"/)
})

/** A model that makes these calls, and is done when it hears of them. */
class ScriptedModel extends BaseChatModel {
  override _llmType(): string {
    return 'scripted'
  }
  override bindTools(): this {
    return this
  }
  override async _generate(messages: BaseMessage[]) {
    const isFirst = !messages.some((message) => ToolMessage.isInstance(message))
    const calls = ['deploy', 'drop'].map((name) => ({ id: name, name, args: { what: name } }))
    const message = new AIMessage(isFirst ? { content: '', tool_calls: calls } : 'Done.')
    return { generations: [{ text: '', message }] }
  }
}

test("the pauses of LangChain's own middleware are answered in its shape, and what was approved runs", async () => {
  const ran: unknown[] = []
  const tools = ['deploy', 'drop'].map((name) =>
    tool(async (input: object) => void ran.push([name, input]), {
      name,
      description: name,
      schema: z.looseObject({}),
    }),
  )
  const interruptOn = { deploy: true, drop: true }
  // Its types are none under exactOptionalPropertyTypes.
  const middleware = [
    humanInTheLoopMiddleware({ interruptOn } as never) as unknown as AgentMiddleware,
  ]
  const checkpointer = new MemorySaver()
  const agent = createAgent({ model: new ScriptedModel({}), tools, checkpointer, middleware })
  const pauses = pausesOf(await agent.invoke({ messages: 'Go.' }, thread('agent')))
  expect((await answerInterrupts(desk.client, pauses)).waiting).toHaveLength(2)
  await desk.revise('deploy', { what: 'half' })
  await desk.decide('deploy', 'approve')
  await desk.decide('drop', 'approve')
  const { resume } = await answerInterrupts(desk.client, pauses)
  await agent.invoke(new Command({ resume: resume ?? {} }), thread('agent'))
  expect(ran).toEqual([
    ['deploy', { what: 'half' }],
    ['drop', { what: 'drop' }],
  ])
})

test('an interrupt that names no call, or a service that is away, asks and answers nothing', async () => {
  const pause = { id: 'p1', value: [inbox('never')] }
  await expect(
    answerInterrupts(desk.client, [pause, { id: 'p2', value: 'Sure?' }]),
  ).rejects.toThrow('names no call')
  expect(await desk.pending('never')).toEqual([])
  const away = Object.assign(new Error('away'), { code: 'unavailable' })
  const client = { ...desk.client, ask: () => Promise.reject(away) }
  await expect(answerInterrupts(client, [pause])).rejects.toThrow('away')
})
