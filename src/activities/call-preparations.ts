import type { InjectedSinks } from '@temporalio/worker'
import { prepareCall, type ReadyCall } from '#services/engine/starting/prepare-call.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { ExecutorSinks } from '#workflows/activity-port.ts'

interface Preparation {
  readonly call: Promise<ReadyCall | null>
  /** absent: it has not ended yet */
  forget?: NodeJS.Timeout
}

/** A call whose activity begins this long after its preparation is read and verified again. */
const usualMaxAgeMs = 500

/** Each uses a connection of the pool. The activities of further calls read and verify them. */
const maxRunning = 8

/**
 * The calls whose activities are about to begin in this process. They are read and verified while
 * Temporal's server stores the activity, which takes as long. Nothing of a call starts before its
 * activity.
 */
export class CallPreparations {
  readonly #ctx: WorkerContext
  readonly #maxAgeMs: number
  readonly #prepare: typeof prepareCall
  readonly #byCall = new Map<string, Preparation>()
  #running = 0

  constructor(ctx: WorkerContext, maxAgeMs = usualMaxAgeMs, prepare = prepareCall) {
    this.#ctx = ctx
    this.#maxAgeMs = maxAgeMs
    this.#prepare = prepare
  }

  /** The workflow task is answered when these return, so they only begin their work. */
  get sinks(): InjectedSinks<ExecutorSinks> {
    return { executor: { prepareCall: { fn: (_info, callId) => this.prepare(callId) } } }
  }

  prepare(callId: string): void {
    if (this.#byCall.has(callId) || this.#running === maxRunning) return
    this.#running += 1
    // The activity meets the same error, and handles it.
    const call = this.#prepare(this.#ctx, callId).catch(() => null)
    const preparation: Preparation = { call }
    this.#byCall.set(callId, preparation)
    void call.then(() => {
      this.#running -= 1
      if (this.#byCall.get(callId) !== preparation) return
      preparation.forget = setTimeout(() => this.#byCall.delete(callId), this.#maxAgeMs)
      preparation.forget.unref()
    })
  }

  /** Returns the prepared call and forgets it; `null`: it was not prepared, or may not run. */
  async take(callId: string): Promise<ReadyCall | null> {
    const preparation = this.#byCall.get(callId)
    if (preparation === undefined) return null
    this.#byCall.delete(callId)
    clearTimeout(preparation.forget)
    return preparation.call
  }
}
