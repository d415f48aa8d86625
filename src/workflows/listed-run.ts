import { upsertSearchAttributes } from '@temporalio/workflow'
import { searchAttributes, type ListedState } from '#domain/runs/search-attributes.ts'

/**
 * Writes the state of a run into Temporal's list of workflows. It sends no command for a run that
 * was started without the attributes. The last written values are kept here and not read from the
 * workflow: when an attribute is removed, the server leaves it out of old events too, and a replay
 * would differ. An upsert then fails the workflow task, and the reconciler starts the run again
 * without attributes (check-idle-runs.ts).
 */
export class ListedRun {
  readonly #isListed: boolean
  #written: string | null

  /** `isNew`: the values that the start wrote are still in the list. */
  constructor(isListed: boolean, isNew: boolean) {
    this.#isListed = isListed
    this.#written = isNew ? writtenFor('running', []) : null
  }

  show(state: ListedState, queues: readonly string[] = []): void {
    if (!this.#isListed) return
    const sorted = [...new Set(queues)].toSorted()
    const written = writtenFor(state, sorted)
    if (written === this.#written) return
    this.#written = written
    upsertSearchAttributes([
      { key: searchAttributes.state, value: state },
      { key: searchAttributes.queue, value: sorted.length === 0 ? null : sorted },
    ])
  }

  /** Shows what a run waits for: people in these queues or, without any, its own work. */
  showWait(queues: readonly string[]): void {
    this.show(queues.length === 0 ? 'running' : 'waiting_for_approval', queues)
  }
}

function writtenFor(state: ListedState, queues: readonly string[]): string {
  return JSON.stringify([state, queues])
}
