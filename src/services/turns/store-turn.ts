import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isEnd, runTransitions } from '../../domain/transitions.ts'
import type { ModelAnswer } from '../../models/model.ts'
import { putContents } from '../../store/content.ts'
import type { Tx } from '../../store/database.ts'
import type { ServiceContext } from '../context.ts'
import { lockRun } from '../locks.ts'
import { closeLocked } from '../runs/ending/close-run.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { writeMessageText } from '../runs/transcript/message-text.ts'
import type { AttemptOutcome } from './run-limits.ts'
import { storable } from '../runs/transcript/storable-text.ts'

export interface TurnToStore {
  readonly runId: string
  readonly turn: number
  readonly attempt: number
  readonly answer: ModelAnswer
  readonly readThrough: number
}

/** What is left of a turn: `judge` its calls, close the run of one that had none, or nothing any more. */
export type StoredTurn = 'judge' | 'finished' | 'ended'

/**
 * Stores a turn's answer with its calls, unjudged, and marks what the model has read; a run whose model is finished is
 * closed with it, unless a message came that it has not read. Of two attempts that overlap the first one's message stays
 * and the other's answer is dropped.
 */
export async function storeTurn(ctx: ServiceContext, turn: TurnToStore): Promise<StoredTurn> {
  return inUnitOfWork(ctx, async (unit) => {
    const { tx } = unit
    const { text, calls } = turn.answer
    const run = await lockRun(tx, turn.runId)
    if (isEnd(runTransitions, run.state)) {
      await noteAttempt(tx, turn, 'overlapped')
      return 'ended'
    }
    const [textHash = '', ...inputHashes] = await putContents(tx, [
      writeMessageText(text),
      ...calls.map((call) => JSON.stringify(call.input)),
    ])
    const stored = await storeMessage(tx, turn, textHash)
    await noteAttempt(tx, turn, stored ? 'stored' : 'overlapped')
    if (!stored) return 'judge'
    if (calls.length > 0) {
      const rows = calls.map((call, index) => ({
        id: uuidv7(),
        run_id: run.id,
        turn: turn.turn,
        position: index + 1,
        tool_call_id: storable(call.id),
        tool: storable(call.tool),
        input_hash: inputHashes[index] ?? '',
      }))
      await tx.insertInto('tool_call').values(rows).execute()
    }
    await noteRead(tx, turn)
    await unit.event('run.changed', { runId: run.id })
    if (calls.length > 0) return 'judge'
    const closed = await closeLocked(unit, { ...run, turn: turn.turn }, text)
    return closed.kind === 'closed' ? 'ended' : 'finished'
  })
}

/** The turn's message; false when an attempt that overlapped was first. */
async function storeMessage(
  tx: Tx,
  { runId, turn }: TurnToStore,
  textHash: string,
): Promise<boolean> {
  const stored = await tx
    .insertInto('message')
    .values({
      id: uuidv7(),
      run_id: runId,
      sequence: sql<number>`(select coalesce(max(sequence), 0) + 1 from message where run_id = ${runId})`,
      turn,
      role: 'assistant',
      content_hash: textHash,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'turn'])
        .where(sql<boolean>`role = 'assistant'`)
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return stored !== undefined
}

async function noteAttempt(
  tx: Tx,
  { runId, turn, attempt, answer }: TurnToStore,
  outcome: AttemptOutcome,
): Promise<void> {
  await tx
    .updateTable('turn_attempt')
    .set({
      finished_at: sql<Date>`clock_timestamp()`,
      outcome,
      input_tokens: String(Math.round(answer.usage.inputTokens)),
      output_tokens: String(Math.round(answer.usage.outputTokens)),
    })
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('attempt', '=', attempt)
    .execute()
}

/** The run has taken this turn, which read the messages up to there. */
async function noteRead(tx: Tx, { runId, turn, readThrough }: TurnToStore): Promise<void> {
  await sql`
    with read as (
      update message set turn = ${turn}::integer
      where run_id = ${runId}::uuid and role = 'user' and turn is null and sequence <= ${readThrough}
    )
    update run set turn = ${turn}::integer where id = ${runId}::uuid
  `.execute(tx)
}
