import { WorkflowNotFoundError } from '@temporalio/client'
import { cancelRequested } from '../../workflows/messages.ts'
import type { TemporalClient } from '../temporal-client.ts'

/** Remembers whom it has woken over what, so that a workflow that does not move is not woken every round. */
export class Woken {
  readonly #facts = new Map<string, string>()

  /**
   * Signals a workflow to look at the store, once for each `fact`. It is the signal of a cancel, which makes every
   * wait look and by itself changes nothing. Answers whether a signal was sent.
   */
  async wake(
    temporal: TemporalClient,
    run: { readonly id: string; readonly workflow_id: string; readonly fact: string },
  ): Promise<boolean> {
    if (this.#facts.get(run.id) === run.fact) return false
    try {
      await temporal.withDeadline(() =>
        temporal.client.workflow.getHandle(run.workflow_id).signal(cancelRequested),
      )
    } catch (error) {
      // It ended meanwhile by itself.
      if (error instanceof WorkflowNotFoundError) return false
      throw error
    }
    this.#facts.set(run.id, run.fact)
    return true
  }
}
