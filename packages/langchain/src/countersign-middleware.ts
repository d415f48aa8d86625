import { callDigest, type Asked, type Call, type Client } from '@countersign/client'
import { interrupt } from '@langchain/langgraph'
import { AIMessage, createMiddleware, ToolMessage, type AgentMiddleware } from 'langchain'

/** How the calls of an agent are asked about. */
export interface MiddlewareOptions extends Pick<Call, 'onBehalfOf' | 'queue' | 'worker'> {
  /** tools that nobody is asked about; every other one is */
  readonly unasked?: readonly string[]
  /** without `edit`, a call that was approved with other arguments is not made */
  readonly allowedDecisions?: readonly ('approve' | 'edit' | 'reject')[]
}

interface ToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly id?: string
}

const noEdits = { edits: 'off' } as const

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
 * were approved. Whatever goes wrong, the call is answered with a sentence for the model.
 */
export function countersignMiddleware(
  client: Client,
  options: MiddlewareOptions = {},
): AgentMiddleware {
  const { allowedDecisions = ['approve', 'edit', 'reject'], unasked = [], ...routing } = options
  const canEdit = allowedDecisions.includes('edit')

  function callOf({ args, id, name }: ToolCall, { configurable }: Runtime) {
    const thread = configurable?.thread_id
    if (id === undefined) throw new Error('the model gave this call no id')
    const externalId = thread === undefined ? `langchain:${id}` : `langchain:${thread}:${id}`
    return { ...routing, ...(canEdit ? {} : noEdits), tool: name, input: args, externalId }
  }

  async function takePermit(call: Call) {
    const allowed = await client.take<object>(call, { wait: 0 })
    const shown = { tool: call.tool, input: allowed.input, toolHash: '' }
    const isEdited =
      (await callDigest(shown)) !== (await callDigest({ ...shown, input: call.input }))
    if (!isEdited || canEdit) return { ...allowed, isEdited }
    await client.report(allowed.requestId, { state: 'failed', summary: 'Not run: other input' })
    throw new Error(`approved are other arguments: ${JSON.stringify(allowed.input)}`)
  }

  return createMiddleware({
    name: 'CountersignMiddleware',
    afterModel: async ({ messages }, runtime: Runtime) => {
      const last = messages.findLast((message) => AIMessage.isInstance(message))
      const calls = last?.tool_calls?.filter(({ name }) => !unasked.includes(name)) ?? []
      for (;;) {
        const waiting: { readonly call: ToolCall; readonly asked: Asked }[] = []
        for (const call of calls) {
          const asked = await askOrLeave(async () => client.ask(callOf(call, runtime)))
          if (asked?.state === 'pending') waiting.push({ call, asked })
        }
        if (waiting.length === 0) return
        interrupt({
          actionRequests: waiting.map(({ asked, call: { args, name } }) => {
            return { name, args, description: `Waits in Countersign as #${asked.number}` }
          }),
          // Nobody decides here.
          reviewConfigs: waiting.map(({ call: { name } }) => ({
            actionName: name,
            allowedDecisions: [],
          })),
          countersign: waiting.map(({ asked }) => asked),
        })
      }
    },
    wrapToolCall: async (request, handler) => {
      const { runtime, toolCall } = request
      if (unasked.includes(toolCall.name)) return handler(request)
      const refused = (error: unknown) =>
        new ToolMessage({
          content: `Countersign: not run. ${error instanceof Error ? error.message : String(error)}`,
          name: toolCall.name,
          tool_call_id: toolCall.id ?? '',
          status: 'error',
        })
      const taken = await Promise.resolve()
        .then(() => takePermit(callOf(toolCall, runtime)))
        .catch(refused)
      if (ToolMessage.isInstance(taken)) return taken
      const { input, isEdited, requestId } = taken
      const report = (state: 'succeeded' | 'failed') =>
        client.report(requestId, { state }).catch(() => undefined)
      try {
        const result = await handler({ ...request, toolCall: { ...toolCall, args: { ...input } } })
        const isAnswer = ToolMessage.isInstance(result)
        await report(isAnswer && result.status === 'error' ? 'failed' : 'succeeded')
        if (isEdited && isAnswer && typeof result.content === 'string') {
          result.content = `Approved and run with other arguments: ${JSON.stringify(input)}\n${result.content}`
        }
        return result
      } catch (error) {
        await report('failed')
        throw error
      }
    },
  })
}

/** What is refused is told when the call would be made; a service that is away ends the step. */
async function askOrLeave(ask: () => Promise<Asked>): Promise<Asked | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'unavailable') throw error
    return null
  }
}
