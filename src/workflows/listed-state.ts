import { upsertSearchAttributes } from '@temporalio/workflow'
import { searchAttributes, type ListedState } from '#domain/runs/search-attributes.ts'

/**
 * Writes what a run does into Temporal's list of workflows, where its start said that the namespace
 * has the attributes: one without them, and a run of before they existed, get no command. What was
 * written is remembered here and not read from the workflow: once an attribute is removed, the
 * server leaves it out of old events too, and a replay would go another way. An upsert then fails
 * the workflow task, and the reconciler starts such a run again without (move-still-runs.ts).
 */
export class ListedRun {
  readonly #isListed: boolean
  #written: string | null

  /** `isNew`: what the start wrote is still there. */
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

  /** A wait: for people in these queues, or, with none, for something that the run does itself. */
  showWait(queues: readonly string[]): void {
    this.show(queues.length === 0 ? 'running' : 'waiting_for_approval', queues)
  }
}

function writtenFor(state: ListedState, queues: readonly string[]): string {
  return JSON.stringify([state, queues])
}
