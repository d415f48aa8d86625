import { isObject } from '#domain/json/is-object.ts'
import type { HookDecision, HookEvent } from '#domain/hooks/hook-event.ts'
import { errorMessage } from '#domain/error-message.ts'
import { AgentCalls } from './agent-calls.ts'

/** More time than the withdrawal of all requests takes. */
const endWithinMs = 25_000

type Fields = Readonly<Record<string, unknown>>

/**
 * How a call is decided, and where its outcome is reported. If a call is cancelled, its request is
 * withdrawn.
 */
export interface CallJudge {
  decide(event: HookEvent, cancelled: AbortSignal): Promise<HookDecision>
  report(event: HookEvent): Promise<void>
}

/**
 * Stands between an editor and an agent that speak the Agent Client Protocol. It answers the
 * agent's permission requests and passes everything else on. It only ever allows this one call. The
 * agent gets no reason, because the protocol has no field for it.
 */
export class PermissionProxy {
  readonly #calls = new AgentCalls()
  readonly #allowed = new Map<string, HookEvent>()
  readonly #open = new Map<AbortController, { id: unknown; sessionId: unknown }>()
  readonly #deciding = new Set<Promise<HookDecision>>()
  #hasEnded = false
  readonly #judge: CallJudge
  readonly #cwd: string
  readonly #answer: (message: object) => void
  readonly #warn: (sentence: string) => void

  constructor(of: {
    readonly judge: CallJudge
    readonly cwd: string
    readonly answer: (message: object) => void
    readonly warn: (sentence: string) => void
  }) {
    this.#judge = of.judge
    this.#cwd = of.cwd
    this.#answer = of.answer
    this.#warn = of.warn
  }

  /** Handles a message of the agent. False: it was answered here and does not go to the editor. */
  async fromAgent(message: Fields): Promise<boolean> {
    const { id, method, params } = message
    if (method === 'session/request_permission') {
      // Permission requests never reach the editor, whatever their id is.
      void this.#ask(id, params)
      return false
    }
    if (method === '$/cancel_request' && isObject(params)) {
      this.#cancel((open) => open.id === params['requestId'])
    }
    if (method === 'session/update' && isObject(params)) await this.#handleUpdate(params)
    return true
  }

  /** Handles a message of the editor, which then goes to the agent. */
  fromEditor({ method, params }: Fields): void {
    if (method !== 'session/cancel' || !isObject(params)) return
    this.#cancel((open) => open.sessionId === params['sessionId'])
  }

  /**
   * The editor or the agent has ended: later requests are refused. Resolves once the requests that
   * wait are withdrawn, or after `endWithinMs`.
   */
  async end(): Promise<void> {
    this.#hasEnded = true
    this.#cancel(() => true)
    const over = Promise.withResolvers<void>()
    const timer = setTimeout(() => over.resolve(), endWithinMs)
    await Promise.race([Promise.all(this.#deciding), over.promise])
    clearTimeout(timer)
  }

  #cancel(isOf: (open: { readonly id: unknown; readonly sessionId: unknown }) => boolean): void {
    for (const [stop, open] of this.#open) if (isOf(open)) stop.abort()
  }

  async #ask(id: unknown, params: unknown): Promise<void> {
    const stop = new AbortController()
    const sessionId = isObject(params) ? params['sessionId'] : undefined
    let outcome: object = { outcome: 'cancelled' }
    if (!this.#hasEnded) {
      this.#open.set(stop, { id, sessionId })
      const deciding = this.#decide(params, stop.signal)
      this.#deciding.add(deciding)
      void deciding.finally(() => this.#deciding.delete(deciding))
      // A cancelled request is answered at once, while its request in Countersign is withdrawn.
      const decision = await Promise.race([deciding, abortOf(stop.signal)])
      this.#open.delete(stop)
      if (decision !== null && !stop.signal.aborted) {
        outcome = outcomeOf(decision, params)
        if (decision.decision === 'deny') this.#warn(decision.reason)
      }
    }
    if (id !== undefined) this.#answer({ jsonrpc: '2.0', id, result: { outcome } })
  }

  async #decide(params: unknown, cancelled: AbortSignal): Promise<HookDecision> {
    try {
      const event = this.#calls.eventOf(params, this.#cwd)
      const decision = await this.#judge.decide(event, cancelled)
      if (decision.decision === 'allow' && !cancelled.aborted) {
        this.#allowed.set(allowedKey(event), event)
      }
      return decision
    } catch (error) {
      return { decision: 'deny', reason: `Countersign: ${errorMessage(error)}` }
    }
  }

  async #handleUpdate(params: Fields): Promise<void> {
    const { sessionId, update } = params
    if (!isObject(update)) return
    this.#calls.addFacts(sessionId, update)
    const { status, toolCallId } = update
    if (status !== 'completed' && status !== 'failed') return
    const key = JSON.stringify([String(sessionId), toolCallId])
    const event = this.#allowed.get(key)
    if (event === undefined || !this.#allowed.delete(key)) return
    const name = status === 'completed' ? 'PostToolUse' : 'PostToolUseFailure'
    await this.#judge.report({ ...event, hook_event_name: name }).catch(() => undefined)
  }
}

/** Resolves to `null` once the signal fires. */
function abortOf(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}

function allowedKey({ session_id, tool_use_id }: HookEvent): string {
  return JSON.stringify([session_id, tool_use_id])
}

/** Chooses only an answer for this one call. If the agent offers none, nothing is chosen. */
function outcomeOf({ decision }: HookDecision, params: unknown): object {
  const options = isObject(params) && Array.isArray(params['options']) ? params['options'] : []
  const kind = decision === 'allow' ? 'allow_once' : 'reject_once'
  const option: unknown = options.find((one) => isObject(one) && one['kind'] === kind)
  const optionId = isObject(option) ? option['optionId'] : undefined
  return typeof optionId === 'string' ? { outcome: 'selected', optionId } : { outcome: 'cancelled' }
}
