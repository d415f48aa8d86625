import { askAbout, externalIdOf, settle } from '@countersign/client'
import type { Asked, Call, CallRouting, Client } from '@countersign/client'
import type { Agent, RunState, RunToolApprovalItem } from '@openai/agents-core'

/** How the calls of a run are asked about. */
export interface InterruptionOptions extends CallRouting {
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
  const waiting = await askAbout(client, items, (item) => callOf(item, options))
  if (waiting.length > 0) return waiting.map(({ asked }) => asked)
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

/** A call as people see it, as the SDK runs it: as the model made it. Throws for other kinds. */
function callOf({ rawItem }: RunToolApprovalItem, options: InterruptionOptions): Call {
  if (rawItem.type !== 'function_call') throw new Error('only function calls can be approved')
  const { run, ...routing } = options
  const externalId = externalIdOf('openai-agents', run, rawItem.callId)
  const input = JSON.parse(rawItem.arguments) as object
  const tool =
    rawItem.namespace === undefined ? rawItem.name : `${rawItem.namespace}.${rawItem.name}`
  return { ...routing, tool, input, edits: 'off', externalId }
}

/** Tells what became of the call, when its agent says that it has ended in this process. */
function reportAfter(item: RunToolApprovalItem, requestId: string, client: Client): void {
  const { agent } = item
  const told = (
    _context: unknown,
    _tool: unknown,
    result: string,
    { toolCall }: { readonly toolCall: object },
  ): void => {
    if (!('callId' in toolCall) || toolCall.callId !== idOf(item)) return
    agent.off('agent_tool_end', told)
    // What the SDK answers for a tool that threw and has no `errorFunction` of its own.
    const isFailed = result.startsWith('An error occurred while running the tool')
    const state = isFailed ? 'failed' : 'succeeded'
    void client.report(requestId, { state }).catch(() => undefined)
  }
  agent.on('agent_tool_end', told)
}
