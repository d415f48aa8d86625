import type { InjectedSinks } from '@temporalio/worker'
import { prepareCall, type ReadyCall } from '#services/engine/starting/prepare-call.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { ExecutorSinks } from '#workflows/activity-port.ts'

interface Preparation {
  readonly call: Promise<ReadyCall | null>
  readonly forget: NodeJS.Timeout
}

/** A call whose activity begins later than this is read and verified again. */
const maxAgeMs = 500

/**
 * The calls whose activities are about to begin in this process. They are read and verified while
 * Temporal's server stores the activity, which takes as long. Nothing of a call starts before its
 * activity.
 */
export class CallPreparations {
  readonly #ctx: WorkerContext
  readonly #byCall = new Map<string, Preparation>()

  constructor(ctx: WorkerContext) {
    this.#ctx = ctx
  }

  /** The workflow task is answered when these return, so they only begin their work. */
  get sinks(): InjectedSinks<ExecutorSinks> {
    return { executor: { prepareCall: { fn: (_info, callId) => this.prepare(callId) } } }
  }

  prepare(callId: string): void {
    if (this.#byCall.has(callId)) return
    const forget = setTimeout(() => this.#byCall.delete(callId), maxAgeMs)
    forget.unref()
    // The activity meets the same error, and handles it.
    this.#byCall.set(callId, { call: prepareCall(this.#ctx, callId).catch(() => null), forget })
  }

  /** What was prepared of a call, once. `null`: nothing was, or the call may not run. */
  async take(callId: string): Promise<ReadyCall | null> {
    const preparation = this.#byCall.get(callId)
    if (preparation === undefined) return null
    this.#byCall.delete(callId)
    clearTimeout(preparation.forget)
    return preparation.call
  }
}
