import { externalIdOf, notRun, perform, type CallRouting, type Client } from '@countersign/client'

/** Options for the calls of a tool. */
export interface ToolOptions extends CallRouting {
  /** a name of the run, for models whose call ids are unique only within one */
  readonly run?: string
}

/** A tool of Mastra's `createTool`, as far as this package uses it. */
export interface MastraTool {
  readonly id: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a tool of any schemas
  readonly execute?: ((input: any, context: any) => Promise<any>) | undefined
}

/** The agent that calls a tool, as Mastra passes it to `execute`. */
interface CallContext {
  readonly agent?: {
    readonly toolCallId: string
    readonly threadId?: string
    readonly suspend: (payload: object) => Promise<unknown>
  }
}

/**
 * A copy of the tool whose calls each wait until a different person has approved them. While a call
 * waits, the agent is suspended, with `countersign` (id and number of the request) in the payload.
 * Resume in any process with the same storage: `agent.resumeGenerate({}, { runId, toolCallId })`.
 * The resume data decides nothing: the tool reads the request again, and suspends again while it
 * waits.
 *
 * Directly before a call, its permit is taken, and the call is made with the approved arguments;
 * its outcome is reported. A denied call throws, and Mastra passes the message to the model. Do not
 * wrap a tool that suspends by itself, because a resume cannot tell the two suspensions apart.
 *
 * Throws for a tool without `execute`, because it could not hold back its calls.
 */
export function countersignTool<Tool extends MastraTool>(
  client: Client,
  tool: Tool,
  options: ToolOptions = {},
): Tool {
  const { execute, id } = tool
  if (execute === undefined) throw new Error(`the tool ${id} has no execute, so it cannot wait`)
  const { run, ...routing } = options

  async function askOrTake(input: object, { agent }: CallContext) {
    if (agent === undefined) throw new Error(`${id} can only be called by an agent, which waits`)
    const externalId = externalIdOf('mastra', run ?? agent.threadId, agent.toolCallId)
    const call = { ...routing, tool: id, input, externalId }
    const request = await client.ask(call)
    return request.state === 'pending' ? { agent, request } : client.take<object>(call, { wait: 0 })
  }

  async function executeOrSuspend(input: object, context: CallContext = {}): Promise<unknown> {
    const taken = await askOrTake(input, context).catch((error: unknown) => {
      throw new Error(notRun(error), { cause: error })
    })
    if ('permit' in taken) {
      const make = () => execute?.(taken.input, context)
      return perform(client, taken.requestId, make, isValidationError)
    }
    const { id: requestId, number } = taken.request
    const payload = { countersign: { id: requestId, number }, waits: `as #${number}` }
    return taken.agent.suspend(payload)
  }
  const copy = Object.create(Object.getPrototypeOf(tool)) as Tool
  return Object.assign(copy, tool, { execute: executeOrSuspend })
}

/** Mastra returns such a result, and does not throw, for input that the tool's schema refuses. */
function isValidationError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'error' in result && result.error === true
}
