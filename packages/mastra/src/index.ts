import { externalIdOf, notRun, perform, type CallRouting, type Client } from '@countersign/client'

/** How the calls of a tool are asked about. */
export interface ToolOptions extends CallRouting {
  /** a name of the run, where the model's ids of calls are not unique by themselves */
  readonly run?: string
}

/** What this needs of a tool that `createTool` of Mastra makes. */
export interface MastraTool {
  readonly id: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a tool of any schemas
  readonly execute?: ((input: any, context: any) => Promise<any>) | undefined
}

/** What Mastra tells a tool of the agent that calls it. */
interface CallContext {
  readonly agent?: {
    readonly toolCallId: string
    readonly threadId?: string
    readonly suspend: (payload: object) => Promise<unknown>
  }
}

/**
 * The same tool, whose calls wait until a different person has approved each. While a call waits
 * the agent is suspended, with `countersign` (id and number of the request) in the payload. Resume
 * it, in any process with the same storage: `agent.resumeGenerate({}, { runId, toolCallId })`. What
 * it is resumed with decides nothing: the service is asked again, and the agent is suspended again
 * while the call waits.
 *
 * Right before the call its permit is taken, once, and it is made with the arguments that were
 * approved; its outcome is reported. A call that was denied throws, which Mastra tells the model.
 * Wrap tools that do not suspend by themselves: a resume would reach the wrong one of the two.
 *
 * Throws at once for a tool without `execute`, which nothing could hold back.
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
    const asked = await client.ask(call)
    return asked.state === 'pending' ? { agent, asked } : client.take<object>(call, { wait: 0 })
  }

  async function waiting(input: object, context: CallContext = {}): Promise<unknown> {
    const taken = await askOrTake(input, context).catch((error: unknown) => {
      throw new Error(notRun(error), { cause: error })
    })
    if ('permit' in taken) {
      const make = () => execute?.(taken.input, context)
      return perform(client, taken.requestId, make, isValidationError)
    }
    const { number } = taken.asked
    const payload = { countersign: { id: taken.asked.id, number }, waits: `as #${number}` }
    return taken.agent.suspend(payload)
  }
  const copy = Object.create(Object.getPrototypeOf(tool)) as Tool
  return Object.assign(copy, tool, { execute: waiting })
}

/** What Mastra returns, and does not throw, for input that the tool's schema refuses. */
function isValidationError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'error' in result && result.error === true
}
