import type { InjectedSinks } from '@temporalio/worker'
import { holdStart } from '#services/engine/starting/hold-start.ts'
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

/**
 * How long the start of a call holds its locks for the activity. Another process that has the
 * activity waits as long.
 */
const maxHoldMs = 100

/** Each uses a connection of the pool. The activities of further calls read and verify them. */
const maxRunning = 8

/**
 * The calls whose activities are about to begin in this process. While Temporal's server stores the
 * activity, which takes as long, they are read and verified, and the start of an approved call
 * takes its locks and judges. Nothing is written before the activity begins.
 */
export class CallPreparations {
  readonly #ctx: WorkerContext
  readonly #maxAgeMs: number
  readonly #prepare: typeof prepareCall
  readonly #hold: typeof holdStart
  readonly #byCall = new Map<string, Preparation>()
  #running = 0
  /** Whether the last activity of a prepared call began here, and in time. */
  #beginHere = true

  constructor(
    ctx: WorkerContext,
    maxAgeMs = usualMaxAgeMs,
    { prepare, hold } = { prepare: prepareCall, hold: holdStart },
  ) {
    this.#ctx = ctx
    this.#maxAgeMs = maxAgeMs
    this.#prepare = prepare
    this.#hold = hold
  }

  /** The workflow task is answered when these return, so they only begin their work. */
  get sinks(): InjectedSinks<ExecutorSinks> {
    return { executor: { prepareCall: { fn: (_info, callId) => this.prepare(callId) } } }
  }

  prepare(callId: string): void {
    if (this.#byCall.has(callId) || this.#running === maxRunning) return
    this.#running += 1
    // The activity meets the same error, and handles it.
    const call = this.#prepareAndHold(callId).catch(() => null)
    const preparation: Preparation = { call }
    this.#byCall.set(callId, preparation)
    void call.then(async (ready) => {
      if (this.#byCall.get(callId) === preparation) {
        preparation.forget = setTimeout(() => this.#forget(callId), this.#maxAgeMs)
        preparation.forget.unref()
      }
      await ready?.heldStart?.ended
      this.#running -= 1
    })
  }

  /** Returns the prepared call and forgets it; `null`: it was not prepared, or may not run. */
  async take(callId: string): Promise<ReadyCall | null> {
    const preparation = this.#byCall.get(callId)
    if (preparation === undefined) return null
    this.#beginHere = true
    this.#byCall.delete(callId)
    clearTimeout(preparation.forget)
    return preparation.call
  }

  /**
   * A start that is held delays an activity of its call in another process. So none is held while
   * activities begin elsewhere.
   */
  async #prepareAndHold(callId: string): Promise<ReadyCall | null> {
    const ready = await this.#prepare(this.#ctx, callId)
    const isHeld = this.#beginHere && ready?.plan.authorisation.by === 'permit'
    return isHeld ? { ...ready, heldStart: this.#hold(this.#ctx, ready, maxHoldMs) } : ready
  }

  #forget(callId: string): void {
    this.#beginHere = false
    this.#byCall.delete(callId)
  }
}
