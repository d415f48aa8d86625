import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { Command, MemorySaver } from '@langchain/langgraph'
import { createAgent, tool } from 'langchain'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { z } from 'zod'
import { countersignMiddleware, type MiddlewareOptions } from '@countersign/langchain'
import type { Client } from '#program-client'
import { openApprovalDesk } from './approval-desk.ts'

const desk = disposeAfterTests(await openApprovalDesk())

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

test('a call that a person changed runs as it was approved', async () => {
  const agent = agentOf([['c1', 'deploy', 'all']], new MemorySaver())
  await agent.invoke(start, thread('c'))
  await desk.revise('deploy', { what: 'less' })
  const { id } = await desk.decide('deploy', 'approve')
  const answered = answers(await agent.invoke(new Command({ resume: {} }), thread('c')))
  expect(ran.splice(0)).toEqual([['deploy', { what: 'less' }]])
  expect(answered).toMatchObject([
    ['c1', 'success', expect.stringContaining('other arguments: {"what":"less"}')],
  ])
  expect(await desk.stateOf(id)).toMatchObject({ execution: 'succeeded' })
})

test('nobody can change a call where the agent allows no edits, and one changed all the same does not run', async () => {
  const options = { allowedDecisions: ['approve', 'reject'] as const }
  const agent = agentOf([['c1', 'deploy', 'all']], new MemorySaver(), options)
  await agent.invoke(start, thread('d'))
  await expect(desk.revise('deploy', { what: 'less' })).rejects.toThrow('edits_off')
  await desk.decide('deploy', 'approve')
  await agent.invoke(new Command({ resume: {} }), thread('d'))
  expect(ran.splice(0)).toEqual([['deploy', { what: 'all' }]])
  // Asked before the agent said so.
  await agentOf([['c1', 'deploy', 'all']], new MemorySaver()).invoke(start, thread('e'))
  await desk.revise('deploy', { what: 'none' })
  await desk.decide('deploy', 'approve')
  const later = agentOf([['c1', 'deploy', 'all']], new MemorySaver(), options)
  expect(answers(await later.invoke(start, thread('e')))).toMatchObject([
    ['c1', 'error', expect.stringContaining('Other arguments were approved: {"what":"none"}')],
  ])
  expect(ran.splice(0)).toEqual([])
})

test('a service that is away when a call would be made ends the step, and the agent goes on from its checkpoint', async () => {
  const calls: Called[] = [['f1', 'deploy', 'later']]
  const checkpointer = new MemorySaver()
  await agentOf(calls, checkpointer).invoke(start, thread('f'))
  const { id } = await desk.decide('deploy', 'approve')
  const away = Object.assign(new Error('away'), { code: 'unavailable' })
  const client = { ...desk.client, take: () => Promise.reject(away) }
  const resume = new Command({ resume: {} })
  await expect(
    agentOf(calls, checkpointer, { client }).invoke(resume, thread('f')),
  ).rejects.toThrow('away')
  expect(ran).toEqual([])
  const done = await agentOf(calls, checkpointer).invoke(null, thread('f'))
  expect(answers(done)).toEqual([['f1', 'success', 'deploy is done']])
  expect(ran.splice(0)).toHaveLength(1)
  expect(await desk.stateOf(id)).toMatchObject({ execution: 'succeeded' })
})
