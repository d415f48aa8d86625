import { ActivityFailure, condition } from '@temporalio/workflow'
import type { Activities } from './activity-port.ts'
import { ListedRun } from './listed-run.ts'
import { performCalls, type PerformContext } from './perform-calls.ts'
import { idsOf } from './untrusted.ts'
import { WaitTimer } from './wait-timer.ts'
import { Wakeups } from './wakeups.ts'

/** More than a run can have open. Other ids are forged, or the store knows them. */
const maxRemembered = 100

/**
 * Carries out the calls that people made of manual tools, beside the turns of the model; neither
 * waits for the other (product.md 5). Ids that were forgotten are read from the store again when
 * the run begins or rests.
 */
export class ManualCalls {
  /** Apart from the wakeups of turns: a new turn forgets no signal about these calls. */
  readonly wakeups = new Wakeups()
  readonly #waiting = new Set<string>()
  readonly #begun = new Set<string>()
  #closed = false

  /** Adds calls that a signal or the store names. */
  addCalls(callIds: unknown): void {
    for (const id of idsOf(callIds).ids) {
      if (this.#waiting.size >= maxRemembered) return
      if (!this.#begun.has(id)) this.#waiting.add(id)
    }
  }

  /** Begins each call once its id is known, until the run ends or continues as new. */
  async perform(
    performing: Pick<PerformContext, 'runId' | 'taskQueue' | 'database'> & {
      readonly database: Pick<Activities, 'enterManualResult'>
    },
    onEntered: () => void,
  ): Promise<void> {
    for (;;) {
      await condition(() => this.#waiting.size > 0 || this.#closed)
      if (this.#closed) return
      for (const callId of this.#waiting) {
        this.#waiting.delete(callId)
        this.#begun.add(callId)
        void this.#performCall(performing, callId, onEntered).finally(() =>
          this.#begun.delete(callId),
        )
      }
    }
  }

  /** Waits for the calls in progress. Returns those for the next execution. */
  async close(): Promise<readonly string[]> {
    this.#closed = true
    await condition(() => this.#begun.size === 0)
    return [...this.#waiting]
  }

  async #performCall(
    performing: Parameters<ManualCalls['perform']>[0],
    callId: string,
    onEntered: () => void,
  ): Promise<void> {
    const call = { callId, step: 'execute', requestId: null, readOnly: false } as const
    const shouldContinueAsNew = (): boolean => this.#closed
    const mine = {
      ...performing,
      wakeups: this.wakeups,
      shouldContinueAsNew,
      listed: new ListedRun(false, false),
      timer: new WaitTimer(false),
      next: null,
    }
    const { end } = await performCalls(mine, [call], null)
    if (end === 'continue_as_new') this.#waiting.add(callId)
    if (end !== 'all_done') return
    try {
      await performing.database.enterManualResult({ callId })
    } catch (error) {
      // The answer was forged; the store names the call again when the run rests.
      if (!(error instanceof ActivityFailure)) throw error
    }
    onEntered()
  }
}
