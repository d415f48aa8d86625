import { callDigest, orRefusal, type Asked, type Call, type Client } from '@countersign/client'
import type { Agent, RunState, RunToolApprovalItem } from '@openai/agents-core'

/** How the calls of a run are asked about. */
export interface InterruptionOptions extends Pick<Call, 'onBehalfOf' | 'queue' | 'worker'> {
  /** a name of the run, where the model's ids of calls are not unique by themselves */
  readonly run?: string
}

/** What was resolved here already: the ids of calls, since a state makes its items anew. */
const resolvedOf = new WeakMap<object, Set<string>>()

/**
 * Asks about every interruption of a run, and resolves to the requests that wait; then the state is
 * as it was. Call it again later, also in another process with `RunState.fromString`. Once all are
 * decided it takes the permits, approves or rejects each call in the state, with the words of the
 * person for the model, and resolves to an empty list: go on with `run(agent, state)`.
 *
 * Rejects only while the service is away. What cannot be asked about is rejected in the state.
 */
export async function resolveInterruptions(
  // oxlint-disable-next-line typescript/no-explicit-any -- a run of any agent
  state: RunState<any, Agent<any, any>>,
  client: Client,
  options: InterruptionOptions = {},
): Promise<readonly Asked[]> {
  const resolved = resolvedOf.get(state) ?? new Set<string>()
  resolvedOf.set(state, resolved)
  const items = state.getInterruptions().filter((item) => !resolved.has(idOf(item)))
  const waiting: Asked[] = []
  for (const item of items) {
    await orRefusal(async () => {
      const asked = await client.ask(callOf(item, options))
      if (asked.state === 'pending') waiting.push(asked)
    })
  }
  if (waiting.length > 0) return waiting
  for (const item of items) {
    const message = await orRefusal(async () => {
      reportAfter(item, await takePermit(client, callOf(item, options)), client)
    })
    resolved.add(idOf(item))
    if (message === null) state.approve(item)
    else state.reject(item, { message: `Countersign: not run. ${message}` })
  }
  return []
}

function idOf({ rawItem }: RunToolApprovalItem): string {
  return 'callId' in rawItem ? rawItem.callId : (rawItem.id ?? '')
}

/** A call as people see it. Throws what it has to say of other kinds of calls. */
function callOf({ rawItem }: RunToolApprovalItem, options: InterruptionOptions) {
  if (rawItem.type !== 'function_call') throw new Error('only function calls can be approved')
  const { run, ...routing } = options
  const name = run === undefined ? rawItem.callId : `${run}:${rawItem.callId}`
  const input = JSON.parse(rawItem.arguments) as object
  const tool =
    rawItem.namespace === undefined ? rawItem.name : `${rawItem.namespace}.${rawItem.name}`
  return { ...routing, tool, input, edits: 'off', externalId: `openai-agents:${name}` } as const
}

/** The id of the request. The SDK runs a call as the model made it, so nothing else may be approved. */
async function takePermit(client: Client, call: Call): Promise<string> {
  const { input, requestId } = await client.take(call, { wait: 0 })
  const { tool, toolHash } = { tool: call.tool, toolHash: '' }
  const approved = await callDigest({ tool, input, toolHash })
  if (approved === (await callDigest({ tool, input: call.input, toolHash }))) return requestId
  await client.report(requestId, { state: 'failed', summary: 'Not run: other input' })
  throw new Error(`approved is another input: ${JSON.stringify(input)}`)
}

/** Tells what became of the call, when its agent says that it has ended in this process. */
function reportAfter(item: RunToolApprovalItem, requestId: string, client: Client): void {
  const { agent } = item
  const told = (_context: unknown, _tool: unknown, result: string, { toolCall }: Ended): void => {
    if (!('callId' in toolCall) || toolCall.callId !== idOf(item)) return
    agent.off('agent_tool_end', told)
    // What the SDK answers for a tool that threw and has no `errorFunction` of its own.
    const isFailed = result.startsWith('An error occurred while running the tool')
    const state = isFailed ? 'failed' : 'succeeded'
    void client.report(requestId, { state }).catch(() => undefined)
  }
  agent.on('agent_tool_end', told)
}

interface Ended {
  readonly toolCall: object
}
