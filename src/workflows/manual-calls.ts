import { condition } from '@temporalio/workflow'
import type { Activities } from './activity-port.ts'
import { performCalls, type Performing } from './perform-calls.ts'
import { Wakeups } from './wakeups.ts'

/** More than a run can have open: ids beyond it are forged, or known to the store. */
const rememberedMost = 100

/**
 * The calls that people made of manual tools, brought to their results beside the turns of the model: none waits for
 * the other (product.md 5). Ids that are forgotten are read from the store again when the run begins or rests.
 */
export class ManualCalls {
  /** Its own, so that a new turn forgets nothing that is said about these. */
  readonly wakeups = new Wakeups()
  readonly #waiting = new Set<string>()
  readonly #begun = new Set<string>()
  #closed = false

  /** A signal, or the store, says that these calls are to be made. */
  called(callIds: readonly string[]): void {
    if (!Array.isArray(callIds)) return
    for (const id of callIds) {
      if (this.#waiting.size >= rememberedMost) return
      if (typeof id === 'string' && !this.#begun.has(id)) this.#waiting.add(id)
    }
  }

  /** Begins each call as it becomes known, until the run ends or continues as new. */
  async perform(
    performing: Omit<Performing, 'wakeups' | 'shouldContinueAsNew'> & {
      readonly database: Pick<Activities, 'enterManualResult'>
    },
    entered: () => void,
  ): Promise<void> {
    for (;;) {
      await condition(() => this.#waiting.size > 0 || this.#closed)
      if (this.#closed) return
      for (const callId of this.#waiting) {
        this.#waiting.delete(callId)
        this.#begun.add(callId)
        void this.#bringOn(performing, callId, entered).finally(() => this.#begun.delete(callId))
      }
    }
  }

  /** Waits for what is under way, and answers the calls that are left to whoever goes on. */
  async close(): Promise<readonly string[]> {
    this.#closed = true
    await condition(() => this.#begun.size === 0)
    return [...this.#waiting]
  }

  async #bringOn(
    performing: Parameters<ManualCalls['perform']>[0],
    callId: string,
    entered: () => void,
  ): Promise<void> {
    const call = { callId, step: 'execute', requestId: null, readOnly: false } as const
    const shouldContinueAsNew = (): boolean => this.#closed
    const mine = { ...performing, wakeups: this.wakeups, shouldContinueAsNew }
    const end = await performCalls(mine, [call], null)
    if (end === 'continue_as_new') this.#waiting.add(callId)
    if (end !== 'all_done') return
    await performing.database.enterManualResult({ callId })
    entered()
  }
}
