import { sql } from 'kysely'
import { isEnd, runTransitions, transition } from '../../../domain/transitions.ts'
import type { CloseOutcome } from '../../../domain/workflow-outcomes.ts'
import { getText } from '../../../store/content.ts'
import type { Tx } from '../../../store/database.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { tellParent } from '../../delegation/tell-parent.ts'
import { lockRun } from '../../locks.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { endGrantsOf } from './end-run.ts'
import { readMessageText } from '../transcript/message-text.ts'
import { storable } from '../transcript/storable-text.ts'

const caller: Caller = { actor: { type: 'system' }, channel: 'workflow' }

/**
 * Completes a run whose model is finished, with its last text as the output and, for a root, its grants ended.
 * A message that no turn has read makes the run go on instead (`continue`): posting takes the same lock, so none is lost.
 */
export async function closeRun(
  ctx: ServiceContext,
  input: { readonly runId: string },
): Promise<CloseOutcome> {
  return inUnitOfWork(ctx, async (unit) => {
    const run = await lockRun(unit.tx, input.runId)
    if (isEnd(runTransitions, run.state)) return { kind: 'closed' }
    const { unread, unfinished, lastHadCalls, pending, lastHash } = await standingOf(unit.tx, run)
    const finished = run.turn > 0 && !unfinished && !lastHadCalls
    // Somebody ended a request by SQL, and nobody counted it: there is nothing left to wait for.
    const waitsForNobody = run.state === 'waiting_for_approval' && !pending
    const from = waitsForNobody ? 'running' : run.state
    const state = transition(runTransitions, from, 'complete')
    // Closing something unfinished can only have been asked by a workflow that nobody recorded.
    if (unread || !finished || state === null) return { kind: 'continue' }
    await unit.tx
      .updateTable('run')
      .set({
        state,
        ended_at: sql<Date>`clock_timestamp()`,
        output: await textOf(unit.tx, lastHash),
        // What made it stand still is over.
        failure: null,
      })
      .where('id', '=', run.id)
      .execute()
    if (run.root_run_id === run.id) await endGrantsOf(unit, caller, run.id)
    await unit.audit({
      type: 'run.ended',
      actor: caller.actor,
      channel: caller.channel,
      runId: run.id,
      detail: { state, turns: run.turn },
    })
    await unit.event('run.changed', { runId: run.id })
    await tellParent(unit, run)
    return { kind: 'closed' }
  })
}

interface RunStanding {
  /** a person's message that no turn has read */
  readonly unread: boolean
  /** a call without a result */
  readonly unfinished: boolean
  readonly lastHadCalls: boolean
  readonly pending: boolean
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
      (select content_hash from message where run_id = run.id and role = 'assistant'
        order by turn desc limit 1) as "lastHash"
    from run where id = ${run.id}
  `.execute(tx)
  const [standing] = rows
  if (standing === undefined) throw new Error(`Run ${run.id} is gone`)
  return standing
}

async function textOf(tx: Tx, hash: string | null): Promise<string> {
  return hash === null ? '' : storable(readMessageText(await getText(tx, hash)))
}
