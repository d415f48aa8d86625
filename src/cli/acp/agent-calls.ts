import { isObject } from '#domain/json/is-object.ts'
import type { HookEvent } from '#domain/hooks/hook-event.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The kinds of calls in the protocol. A name that an agent gives its own tool is never a tool of
 * Countersign.
 */
const kinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other']
/** The facts about a call, which arrive piece by piece. */
const members = ['title', 'kind', 'rawInput', 'content', 'locations'] as const
const maxCalls = 1000

/**
 * The facts that an agent has sent about its calls, in `session/update` and in permission requests.
 */
export class AgentCalls {
  readonly #calls = new Map<string, Fields>()

  /** Adds the facts of a message to its call. */
  addFacts(sessionId: unknown, call: unknown): void {
    if (!isObject(call) || typeof call['toolCallId'] !== 'string') return
    const key = keyOf(sessionId, call['toolCallId'])
    const names = members.filter((name) => call[name] !== undefined && call[name] !== null)
    const added = Object.fromEntries(names.map((name) => [name, call[name]]))
    this.#calls.set(key, { ...this.#calls.get(key), ...added })
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= maxCalls) break
      this.#calls.delete(oldest)
    }
  }

  /**
   * The call of a permission request as an event of a hook, with all facts that the agent sent
   * about it. A call without arguments is `unseen`.
   */
  eventOf(params: unknown, cwd: string): HookEvent {
    const { sessionId, toolCall } = isObject(params) ? params : {}
    if (!isObject(toolCall) || typeof toolCall['toolCallId'] !== 'string') {
      throw new Error('the agent does not say which call it asks about, so no call runs')
    }
    this.addFacts(sessionId, toolCall)
    const call = this.#calls.get(keyOf(sessionId, toolCall['toolCallId'])) ?? {}
    const kind = kinds.find((one) => one === call['kind']) ?? 'other'
    const isSeen = isObject(call['rawInput']) && Object.keys(call['rawInput']).length > 0
    return {
      hook_event_name: 'PreToolUse',
      session_id: String(sessionId),
      tool_name: isSeen ? kind : `unseen_${kind}`,
      tool_input: call,
      tool_use_id: toolCall['toolCallId'],
      cwd,
    }
  }
}

function keyOf(sessionId: unknown, toolCallId: string): string {
  return JSON.stringify([sessionId, toolCallId])
}
