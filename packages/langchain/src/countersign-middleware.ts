import { askAbout, externalIdOf, perform, settle } from '@countersign/client'
import type { AgentCallOptions, Call, Client } from '@countersign/client'
import { interrupt } from '@langchain/langgraph'
import { AIMessage, createMiddleware, ToolMessage, type AgentMiddleware } from 'langchain'

/** Options for the calls of an agent. */
export interface MiddlewareOptions extends AgentCallOptions {
  /** without `edit`, nobody may change the arguments of a call */
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
 * Middleware for `createAgent` with which each tool call waits until a different person has
 * approved it. While calls wait, the agent is interrupted. The value of the interrupt has the shape
 * of LangChain's human-in-the-loop middleware, with an action for each pending call, and
 * `countersign`, the requests in the same order. Resume in any process with `new Command({ resume:
 * {} })`. The resume value decides nothing: the middleware reads the requests again, and interrupts
 * again while one is pending.
 *
 * Directly before a call, its permit is taken, and the call is made with the approved arguments.
 * The model gets a sentence about a refused call. If the service is unreachable, the step fails and
 * nothing has run.
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
          actionRequests: waiting.map(({ request: { number }, item: { args, name } }) => {
            return { name, args, description: `Waits in Countersign as #${number}` }
          }),
          // Decisions are made in Countersign, not by the value of the resume.
          reviewConfigs: waiting.map(({ item: { name } }) => {
            return { actionName: name, allowedDecisions: [] }
          }),
          countersign: waiting.map(({ request }) => request),
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
        const note = `Approved and run with other arguments: ${JSON.stringify(input)}`
        result.content = `${note}\n${result.content}`
      }
      return result
    },
  })
}
