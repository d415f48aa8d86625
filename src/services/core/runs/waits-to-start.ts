import type { Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { RunTable } from '#store/tables/runs.ts'

type StartFields = Pick<
  Selectable<RunTable>,
  'state' | 'start_request_id' | 'turn' | 'forked_after_turn'
>

/** Whether the run has not taken a turn: its start may still have to be judged. */
export function isUnstarted(run: Omit<StartFields, 'state'>): boolean {
  return run.start_request_id !== null && run.turn === (run.forked_after_turn ?? 0)
}

/** Whether its start waits for an approval. */
export function waitsToStart(run: StartFields): boolean {
  return run.state === 'waiting_for_approval' && isUnstarted(run)
}

/**
 * Refuses to add to a run whose start waits for an approval: the approver saw everything that it
 * begins with. Throws `conflict`.
 */
export function refuseWhileStarting(run: StartFields): void {
  if (!waitsToStart(run)) return
  throw new Problem('conflict', 'The start of this run waits for an approval; cancel it instead', {
    state: run.state,
  })
}
