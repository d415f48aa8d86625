import { askAbout, externalIdOf, settle } from '@countersign/client'
import type { RequestSummary, Call, CallRouting, Client } from '@countersign/client'
import type { Agent, RunState, RunToolApprovalItem } from '@openai/agents-core'

/** Options for the calls of a run. */
export interface InterruptionOptions extends CallRouting {
  /** a name of the run, for models whose call ids are unique only within one */
  readonly run?: string
}

/**
 * The ids of the calls that were resolved in each state, whose items are new objects at every read.
 */
const resolvedOf = new WeakMap<object, Set<string>>()

/**
 * Opens a request for every interruption of a run, and resolves to the pending requests. While
 * there are any, the state stays unchanged: call this again later, also in another process with
 * `RunState.fromString`. Once all are decided, takes the permits, approves or rejects each call in
 * the state, and resolves to an empty list: continue with `run(agent, state)`. The model reads the
 * reason of a denial.
 *
 * Rejects only if the service is unreachable. A call that cannot be requested is rejected in the
 * state.
 */
export async function resolveInterruptions(
  // oxlint-disable-next-line typescript/no-explicit-any -- a run of any agent
  state: RunState<any, Agent<any, any>>,
  client: Client,
  options: InterruptionOptions = {},
): Promise<readonly RequestSummary[]> {
  const resolved = resolvedOf.get(state) ?? new Set<string>()
  resolvedOf.set(state, resolved)
  const items = state.getInterruptions().filter((item) => !resolved.has(idOf(item)))
  const waiting = await askAbout(client, items, (item) => callOf(item, options))
  if (waiting.length > 0) return waiting.map(({ request }) => request)
  for (const item of items) {
    const settled = await settle(client, () => callOf(item, options))
    resolved.add(idOf(item))
    if ('refusal' in settled) {
      state.reject(item, { message: settled.refusal })
    } else {
      reportAfter(item, settled.requestId, client)
      state.approve(item)
    }
  }
  return []
}

function idOf({ rawItem }: RunToolApprovalItem): string {
  return 'callId' in rawItem ? rawItem.callId : (rawItem.id ?? '')
}

/** The call of an item. The SDK cannot change its arguments. Throws if it is no function call. */
function callOf({ rawItem }: RunToolApprovalItem, options: InterruptionOptions): Call {
  if (rawItem.type !== 'function_call') throw new Error('only function calls can be approved')
  const { run, ...routing } = options
  const externalId = externalIdOf('openai-agents', run, rawItem.callId)
  const input = JSON.parse(rawItem.arguments) as object
  const tool =
    rawItem.namespace === undefined ? rawItem.name : `${rawItem.namespace}.${rawItem.name}`
  return { ...routing, tool, input, edits: 'off', externalId }
}

/** Reports the outcome of the call once its agent emits the end of the tool in this process. */
function reportAfter(item: RunToolApprovalItem, requestId: string, client: Client): void {
  const { agent } = item
  const onToolEnd = (
    _context: unknown,
    _tool: unknown,
    result: string,
    { toolCall }: { readonly toolCall: object },
  ): void => {
    if (!('callId' in toolCall) || toolCall.callId !== idOf(item)) return
    agent.off('agent_tool_end', onToolEnd)
    // The SDK's result for a tool that threw and has no `errorFunction` of its own.
    const isFailed = result.startsWith('An error occurred while running the tool')
    const state = isFailed ? 'failed' : 'succeeded'
    void client.report(requestId, { state }).catch(() => undefined)
  }
  agent.on('agent_tool_end', onToolEnd)
}
