import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isEnd, runTransitions } from '../../domain/transitions.ts'
import type { ModelAnswer } from '../../models/model.ts'
import { putContent } from '../../store/content.ts'
import type { ServiceContext } from '../context.ts'
import { lockRun } from '../locks.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { writeMessageText } from '../runs/transcript/message-text.ts'
import { nextSequence } from '../runs/transcript/next-sequence.ts'
import type { AttemptOutcome } from './run-limits.ts'
import { storable } from '../runs/transcript/storable-text.ts'

export interface TurnToStore {
  readonly runId: string
  readonly turn: number
  readonly attempt: number
  readonly answer: ModelAnswer
  readonly readThrough: number
}

/**
 * Stores a turn's answer with its calls, unjudged, and marks what the model has read. Of two attempts that overlap
 * the first one's message stays and the other's answer is dropped. Returns false when the run has ended meanwhile.
 */
export async function storeTurn(ctx: ServiceContext, turn: TurnToStore): Promise<boolean> {
  return inUnitOfWork(ctx, async (unit) => {
    const { tx } = unit
    const run = await lockRun(tx, turn.runId)
    const ended = isEnd(runTransitions, run.state)
    const stored = ended
      ? undefined
      : await tx
          .insertInto('message')
          .values({
            id: uuidv7(),
            run_id: run.id,
            sequence: await nextSequence(tx, run.id),
            turn: turn.turn,
            role: 'assistant',
            content_hash: await putContent(tx, writeMessageText(turn.answer.text)),
          })
          .onConflict((conflict) =>
            conflict
              .columns(['run_id', 'turn'])
              .where(sql<boolean>`role = 'assistant'`)
              .doNothing(),
          )
          .returning('id')
          .executeTakeFirst()
    const outcome: AttemptOutcome = stored === undefined ? 'overlapped' : 'stored'
    await tx
      .updateTable('turn_attempt')
      .set({
        finished_at: sql<Date>`clock_timestamp()`,
        outcome,
        input_tokens: String(Math.round(turn.answer.usage.inputTokens)),
        output_tokens: String(Math.round(turn.answer.usage.outputTokens)),
      })
      .where('run_id', '=', run.id)
      .where('turn', '=', turn.turn)
      .where('attempt', '=', turn.attempt)
      .execute()
    if (stored === undefined) return !ended
    for (const [index, call] of turn.answer.calls.entries()) {
      await tx
        .insertInto('tool_call')
        .values({
          id: uuidv7(),
          run_id: run.id,
          turn: turn.turn,
          position: index + 1,
          tool_call_id: storable(call.id),
          tool: storable(call.tool),
          input_hash: await putContent(tx, JSON.stringify(call.input)),
        })
        .execute()
    }
    await tx
      .updateTable('message')
      .set({ turn: turn.turn })
      .where('run_id', '=', run.id)
      .where('role', '=', 'user')
      .where('turn', 'is', null)
      .where('sequence', '<=', turn.readThrough)
      .execute()
    await tx.updateTable('run').set({ turn: turn.turn }).where('id', '=', run.id).execute()
    await unit.event('run.changed', { runId: run.id })
    return true
  })
}
