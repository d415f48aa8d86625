import { sql } from 'kysely'
import { isEnd, runTransitions, transition } from '../../domain/transitions.ts'
import type { CloseOutcome } from '../../domain/workflow-outcomes.ts'
import { getTexts } from '../../store/content.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { tellParent } from '../delegation/tell-parent.ts'
import { lockRun } from '../locks.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { endGrantsOf } from './end-run.ts'
import { readMessageText } from './message-text.ts'
import { storable } from './storable-text.ts'

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
    const unread = await unit.tx
      .selectFrom('message')
      .select('id')
      .where('run_id', '=', run.id)
      .where('role', '=', 'user')
      .where('turn', 'is', null)
      .executeTakeFirst()
    const unfinished = await unit.tx
      .selectFrom('tool_call')
      .select('id')
      .where('run_id', '=', run.id)
      .where('result_type', 'is', null)
      .executeTakeFirst()
    const lastHadCalls = await unit.tx
      .selectFrom('tool_call')
      .select('id')
      .where('run_id', '=', run.id)
      .where('turn', '=', run.turn)
      .executeTakeFirst()
    const finished = run.turn > 0 && unfinished === undefined && lastHadCalls === undefined
    const pending = await unit.tx
      .selectFrom('request')
      .select('id')
      .where('run_id', '=', run.id)
      .where('state', '=', 'pending')
      .executeTakeFirst()
    // Somebody ended a request by SQL, and nobody counted it: there is nothing left to wait for.
    const waitsForNobody = run.state === 'waiting_for_approval' && pending === undefined
    const from = waitsForNobody ? 'running' : run.state
    const state = transition(runTransitions, from, 'complete')
    // Closing something unfinished can only have been asked by a workflow that nobody recorded.
    if (unread !== undefined || !finished || state === null) {
      return { kind: 'continue' }
    }
    await unit.tx
      .updateTable('run')
      .set({
        state,
        ended_at: sql<Date>`clock_timestamp()`,
        output: await lastText(),
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

    async function lastText(): Promise<string> {
      const last = await unit.tx
        .selectFrom('message')
        .select('content_hash')
        .where('run_id', '=', run.id)
        .where('role', '=', 'assistant')
        .orderBy('turn', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (last === undefined) return ''
      const texts = await getTexts(unit.tx, [last.content_hash])
      return storable(readMessageText(texts.get(last.content_hash) ?? '""'))
    }
  })
}
