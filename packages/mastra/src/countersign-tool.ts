import type { Allowed, Call, Client } from '@countersign/client'

/** How the calls of a tool are asked about. */
export interface ToolOptions extends Pick<Call, 'onBehalfOf' | 'queue' | 'worker'> {
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
  const waiting = async (input: object, context: CallContext = {}): Promise<unknown> => {
    const { agent } = context
    if (agent === undefined) {
      throw new Error(`Countersign: not run. ${id} can only be called by an agent, which waits`)
    }
    const name = [run ?? agent.threadId, agent.toolCallId].filter(Boolean).join(':')
    const call = { ...routing, tool: id, input, externalId: `mastra:${name}` }
    const asked = await orNotRun(() => client.ask(call))
    if (asked.state === 'pending') {
      const { number } = asked
      return agent.suspend({ countersign: { id: asked.id, number }, waits: `as #${number}` })
    }
    const allowed = await orNotRun(() => client.take<object>(call, { wait: 0 }))
    return perform(client, allowed, () => execute(allowed.input, context))
  }
  const copy = Object.create(Object.getPrototypeOf(tool)) as Tool
  return Object.assign(copy, tool, { execute: waiting })
}

async function perform(
  client: Client,
  { requestId }: Allowed<object>,
  execute: () => Promise<unknown>,
): Promise<unknown> {
  // The outcome stays unknown where the service does not answer: the call has run.
  const report = (state: 'succeeded' | 'failed') =>
    client.report(requestId, { state }).catch(() => undefined)
  try {
    const result = await execute()
    await report(isValidationError(result) ? 'failed' : 'succeeded')
    return result
  } catch (error) {
    await report('failed')
    throw error
  }
}

/** What Mastra returns, and does not throw, for input that the tool's schema refuses. */
function isValidationError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'error' in result && result.error === true
}

async function orNotRun<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`Countersign: not run. ${why}`, { cause: error })
  }
}
