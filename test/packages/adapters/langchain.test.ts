import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { Command, MemorySaver } from '@langchain/langgraph'
import { createAgent, tool } from 'langchain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { countersignMiddleware, type MiddlewareOptions } from '@countersign/langchain'
import type { Client } from '#program-client'
import { openApprovalDesk, type ApprovalDesk } from './approval-desk.ts'

let desk: ApprovalDesk
beforeAll(async () => {
  desk = await openApprovalDesk()
})
afterAll(() => desk?.[Symbol.asyncDispose]())

type Called = readonly [id: string, tool: string, what: string]
const ran: unknown[] = []

/** A model that makes these calls, and is done when it hears of them. */
class ScriptedModel extends BaseChatModel {
  readonly #calls: readonly Called[]
  constructor(calls: readonly Called[]) {
    super({})
    this.#calls = calls
  }
  override _llmType(): string {
    return 'scripted'
  }
  override bindTools(): this {
    return this
  }
  override async _generate(messages: BaseMessage[]) {
    const isFirst = !messages.some((message) => ToolMessage.isInstance(message))
    const calls = this.#calls.map(([id, name, what]) => ({ id, name, args: { what } }))
    const message = new AIMessage(isFirst ? { content: '', tool_calls: calls } : 'Done.')
    return { generations: [{ text: '', message }] }
  }
}

/** The agent in one process; what outlives it is `checkpointer`. */
function agentOf(
  calls: readonly Called[],
  checkpointer: MemorySaver,
  { client = desk.client, ...options }: MiddlewareOptions & { readonly client?: Client } = {},
) {
  const tools = ['deploy', 'erase', 'break', 'look'].map((name) =>
    tool(
      async (input: object) => {
        ran.push([name, input])
        if (name === 'break') throw new Error('it broke')
        return `${name} is done`
      },
      { name, description: name, schema: z.looseObject({}) },
    ),
  )
  const middleware = [countersignMiddleware(client, { unasked: ['look'], ...options })]
  return createAgent({ model: new ScriptedModel(calls), tools, checkpointer, middleware })
}

const thread = (id: string) => ({ configurable: { thread_id: id } })
const start = { messages: [{ role: 'user', content: 'Go.' }] }
const answers = ({ messages }: { messages: BaseMessage[] }) =>
  messages
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ content, status, tool_call_id }) => [tool_call_id, status ?? 'success', content])

test('an agent waits in its checkpoint, and each call gets its own decision in another process', async () => {
  const calls: Called[] = [
    ['a1', 'erase', 'customers'],
    ['a2', 'deploy', 'shop'],
    ['a3', 'look', 'logs'],
  ]
  const checkpointer = new MemorySaver()
  const paused = await agentOf(calls, checkpointer).invoke(start, thread('a'))
  expect(JSON.parse(JSON.stringify(paused)).__interrupt__[0].value).toMatchObject({
    actionRequests: [
      { name: 'erase', args: { what: 'customers' } },
      { name: 'deploy', args: { what: 'shop' } },
    ],
    reviewConfigs: [{ actionName: 'erase' }, { actionName: 'deploy' }],
    countersign: [{ state: 'pending' }, { state: 'pending' }],
  })
  // Decided in the other order; what the browser answers decides nothing.
  const deploy = await desk.decide('deploy', 'approve')
  const approveAll = new Command({
    resume: { decisions: [{ type: 'approve' }, { type: 'approve' }] },
  })
  const still = await agentOf(calls, checkpointer).invoke(approveAll, thread('a'))
  expect(still).toHaveProperty('__interrupt__')
  expect(ran).toEqual([])
  const erase = await desk.decide('erase', 'deny')
  const done = await agentOf(calls, checkpointer).invoke(new Command({ resume: {} }), thread('a'))
  expect(answers(done)).toEqual([
    ['a1', 'error', 'Countersign: not run. Grace denied this: looked at it'],
    ['a2', 'success', 'deploy is done'],
    ['a3', 'success', 'look is done'],
  ])
  expect(ran.splice(0)).toHaveLength(2)
  expect(deploy.externalId).toBe('langchain:a:a2')
  expect(await desk.stateOf(deploy.id)).toEqual({ state: 'approved', execution: 'succeeded' })
  expect(await desk.stateOf(erase.id)).toEqual({ state: 'denied', execution: 'not_started' })
})

test('a call that throws is told as failed', async () => {
  const checkpointer = new MemorySaver()
  await agentOf([['b1', 'break', 'it']], checkpointer).invoke(start, thread('b'))
  const broken = await desk.decide('break', 'approve')
  const agent = agentOf([['b1', 'break', 'it']], checkpointer)
  await expect(agent.invoke(new Command({ resume: {} }), thread('b'))).rejects.toThrow('it broke')
  expect(await desk.stateOf(broken.id)).toMatchObject({ execution: 'failed' })
  expect(ran.splice(0)).toHaveLength(1)
})

test('a call that was approved with other arguments runs with those, or not at all where edits are not allowed', async () => {
  const client: Client = {
    ...desk.client,
    take: async (call) => ({ ...(await desk.client.take(call)), input: { what: 'less' } as never }),
  }
  for (const allowedDecisions of [undefined, ['approve', 'reject'] as const]) {
    const name = allowedDecisions === undefined ? 'c' : 'd'
    const options = { client, ...(allowedDecisions === undefined ? {} : { allowedDecisions }) }
    const agent = agentOf([['c1', 'deploy', `all of ${name}`]], new MemorySaver(), options)
    await agent.invoke(start, thread(name))
    const { id } = await desk.decide('deploy', 'approve')
    const [[, status, said] = []] = answers(
      await agent.invoke(new Command({ resume: {} }), thread(name)),
    )
    const isRun = allowedDecisions === undefined
    expect(ran.splice(0)).toEqual(isRun ? [['deploy', { what: 'less' }]] : [])
    expect([status, said]).toEqual([
      isRun ? 'success' : 'error',
      expect.stringContaining('{"what":"less"}'),
    ])
    expect(await desk.stateOf(id)).toMatchObject({ execution: isRun ? 'succeeded' : 'failed' })
  }
})
