import { sql, type Selectable } from 'kysely'
import { isEnd, runTransitions, transition } from '#domain/transitions.ts'
import type { CloseOutcome } from '#domain/workflow-outcomes.ts'
import { getText } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { notifyParent } from '../delegation/child-run.ts'
import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { endGrantsOf } from './end-run.ts'
import { readMessageText } from '../../transcript/messages.ts'
import { storable } from '../../transcript/storable-text.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, workflow } from '../../core/authority.ts'

/**
 * Completes a run whose model is finished, with its last text as the output and, for a root, its
 * grants ended. A message that no turn has read makes the run go on instead (`continue`): posting
 * takes the same lock, so none is lost.
 */
export async function closeRun(
  ctx: SystemContext,
  input: { readonly runId: string },
): Promise<CloseOutcome> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) =>
    closeLocked(unit, await lockRun(unit.tx, input.runId), null),
  )
}

/**
 * As `closeRun`, in the caller's transaction, which holds the run's lock. `lastText`: `null` when
 * it is to be read.
 */
export async function closeLocked(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  lastText: string | null,
): Promise<CloseOutcome> {
  if (isEnd(runTransitions, run.state)) return { kind: 'closed' }
  const standing = await standingOf(unit.tx, run)
  const finished = run.turn > 0 && !standing.unfinished && !standing.lastHadCalls
  // Somebody ended a request by SQL, and nobody counted it: there is nothing left to wait for.
  const waitsForNobody = run.state === 'waiting_for_approval' && !standing.pending
  const state = transition(runTransitions, waitsForNobody ? 'running' : run.state, 'complete')
  // Only a workflow that nobody recorded can ask to close something unfinished.
  if (standing.unread || !finished || state === null) return { kind: 'continue' }
  await unit.tx
    .updateTable('run')
    .set({
      state,
      ended_at: sql<Date>`clock_timestamp()`,
      output: storable(lastText ?? (await textOf(unit.tx, standing.lastHash))),
      // What made it stand still is over.
      failure: null,
    })
    .where('id', '=', run.id)
    .execute()
  if (standing.granted) await endGrantsOf(unit, workflow, run.id)
  await unit.audit({
    type: 'run.ended',
    runId: run.id,
    detail: { state, turns: run.turn },
  })
  await unit.event('run.changed', { runId: run.id })
  await notifyParent(unit, run)
  return { kind: 'closed' }
}

interface RunStanding {
  /** a person's message that no turn has read */
  readonly unread: boolean
  /** a call without a result */
  readonly unfinished: boolean
  readonly lastHadCalls: boolean
  readonly pending: boolean
  /** a grant of this root is live */
  readonly granted: boolean
  /** of the model's last text */
  readonly lastHash: string | null
}

async function standingOf(
  tx: Tx,
  run: { readonly id: string; readonly turn: number },
): Promise<RunStanding> {
  const { rows } = await sql<RunStanding>`
    select
      exists (select from message where run_id = run.id and role = 'user' and turn is null) as unread,
      exists (select from tool_call where run_id = run.id and result_type is null) as unfinished,
      exists (select from tool_call where run_id = run.id and turn = run.turn) as "lastHadCalls",
      exists (select from request where run_id = run.id and state = 'pending') as pending,
      exists (select from approval_grant where root_run_id = run.id
        and ended_at is null and revoked_at is null) as granted,
      (select content_hash from message where run_id = run.id and role = 'assistant'
        order by turn desc limit 1) as "lastHash"
    from run where id = ${run.id}
  `.execute(tx)
  const [standing] = rows
  if (standing === undefined) throw new Error(`Run ${run.id} is gone`)
  return standing
}

async function textOf(tx: Tx, hash: string | null): Promise<string> {
  return hash === null ? '' : readMessageText(await getText(tx, hash))
}
