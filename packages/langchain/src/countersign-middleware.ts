import { askAbout, externalIdOf, perform, settle } from '@countersign/client'
import type { AgentCallOptions, Call, Client } from '@countersign/client'
import { interrupt } from '@langchain/langgraph'
import { AIMessage, createMiddleware, ToolMessage, type AgentMiddleware } from 'langchain'

/** How the calls of an agent are asked about. */
export interface MiddlewareOptions extends AgentCallOptions {
  /** without `edit`, a call that was approved with other arguments is not made */
  readonly allowedDecisions?: readonly ('approve' | 'edit' | 'reject')[]
}

interface ToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly id?: string
}

interface Runtime {
  readonly configurable?: { readonly thread_id?: string }
}

/**
 * Middleware of `createAgent` by which each call of a tool waits until a different person has
 * approved it. The agent is interrupted while calls wait: the value of the interrupt is that of
 * LangChain's own human-in-the-loop middleware, with an action for each call that waits and
 * `countersign`, the requests in the same order. Resume it, in any process, with
 * `new Command({ resume: {} })`. What it is resumed with decides nothing: the service is asked
 * again, and the agent is interrupted again while a call waits.
 *
 * Right before a call is made its permit is taken, once, and it is made with the arguments that
 * were approved. What is refused is answered with a sentence for the model; a service that is away
 * ends the step, and nothing has run.
 */
export function countersignMiddleware(
  client: Client,
  { allowedDecisions, unasked = [], ...routing }: MiddlewareOptions = {},
): AgentMiddleware {
  const edits = allowedDecisions?.includes('edit') === false ? ({ edits: 'off' } as const) : {}

  function callOf({ args, id, name }: ToolCall, { configurable }: Runtime): Call {
    if (id === undefined) throw new Error('the model gave this call no id')
    const externalId = externalIdOf('langchain', configurable?.thread_id, id)
    return { ...routing, ...edits, tool: name, input: args, externalId }
  }

  return createMiddleware({
    name: 'CountersignMiddleware',
    afterModel: async ({ messages }, runtime: Runtime) => {
      const last = messages.findLast((message) => AIMessage.isInstance(message))
      const calls = last?.tool_calls?.filter(({ name }) => !unasked.includes(name)) ?? []
      for (;;) {
        const waiting = await askAbout(client, calls, (call) => callOf(call, runtime))
        if (waiting.length === 0) return
        interrupt({
          actionRequests: waiting.map(({ asked: { number }, item: { args, name } }) => {
            return { name, args, description: `Waits in Countersign as #${number}` }
          }),
          // Nobody decides here.
          reviewConfigs: waiting.map(({ item: { name } }) => {
            return { actionName: name, allowedDecisions: [] }
          }),
          countersign: waiting.map(({ asked }) => asked),
        })
      }
    },
    wrapToolCall: async (request, handler) => {
      const { runtime, toolCall } = request
      const { id = '', name } = toolCall
      if (unasked.includes(name)) return handler(request)
      const settled = await settle(client, () => callOf(toolCall, runtime))
      if ('refusal' in settled) {
        const { refusal: content } = settled
        return new ToolMessage({ content, name, tool_call_id: id, status: 'error' })
      }
      const { input, isChanged, requestId } = settled
      const approved = { ...request, toolCall: { ...toolCall, args: { ...input } } }
      const isError = (one: unknown) => ToolMessage.isInstance(one) && one.status === 'error'
      const result = await perform(client, requestId, () => handler(approved), isError)
      if (isChanged && ToolMessage.isInstance(result) && typeof result.content === 'string') {
        const told = `Approved and run with other arguments: ${JSON.stringify(input)}`
        result.content = `${told}\n${result.content}`
      }
      return result
    },
  })
}
