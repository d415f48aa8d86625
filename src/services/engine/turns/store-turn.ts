import { sql, type RawBuilder, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { Rest } from '#domain/runs/workflow-outcomes.ts'
import { contentsToStore, packContents } from '#store/content/content.ts'
import type { TurnAttemptRef } from '#store/content/live-text.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import { together } from '#store/connection/side-by-side.ts'
import { lockRunFirst } from '../../core/locks.ts'
import { closeLocked } from '../lifecycle/close-run.ts'
import { inUnitOfWork, type SentLast, type UnitOfWork } from '../../core/unit-of-work.ts'
import { writeMessageText } from '../../transcript/messages.ts'
import { updateTurnAttempt, usageColumns } from '../window/turn-attempt.ts'
import type { ModelReply } from './ask-model.ts'
import type { AttemptOutcome } from './run-limits.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, workflow } from '../../core/authority.ts'

export interface TurnToStore extends TurnAttemptRef, ModelReply {}

/** The calls of a turn without a verdict; judging them is counted. */
export interface CallsToJudge {
  readonly run: Selectable<RunTable>
  readonly calls: readonly Selectable<ToolCallTable>[]
  /** their inputs as stored, by their hashes */
  readonly inputs: ReadonlyMap<string, string>
}

/**
 * The rest of a turn: its calls (`overlapped`: of another attempt), the end of a run whose model
 * made none, or nothing.
 */
export type StoredTurn =
  | ({ readonly kind: 'stored' } & CallsToJudge)
  | { readonly kind: 'overlapped' | 'finished' | 'ended' }
  | ({ readonly kind: 'waiting_for_input' } & Rest)

/**
 * Stores a turn's answer with its calls, unjudged, and marks what the model has read. A run whose
 * model is finished is closed with it, unless it has an unread message. Of two concurrent attempts
 * the first one's message stays and the other's answer is dropped.
 */
export async function storeTurn(ctx: SystemContext, turn: TurnToStore): Promise<StoredTurn> {
  const beforeCommit = await inUnitOfWork(ctx, bySystem(ctx, workflow), (unit) =>
    storeIn(unit, turn),
  )
  if (beforeCommit.kind !== 'stored') return beforeCommit
  const { sent, ...toJudge } = beforeCommit
  return { ...toJudge, calls: sent.rows.toSorted((a, b) => a.position - b.position) }
}

type TurnBeforeCommit =
  | Exclude<StoredTurn, CallsToJudge>
  | ({ readonly kind: 'stored'; readonly sent: SentLast<Selectable<ToolCallTable>> } & Omit<
      CallsToJudge,
      'calls'
    >)

async function storeIn(unit: UnitOfWork, turn: TurnToStore): Promise<TurnBeforeCommit> {
  const { tx } = unit
  const { text, calls } = turn.answer
  const run = await lockRunFirst(tx, turn.runId)
  if (run === undefined) return { kind: 'ended' }
  const hasEnded = isEnd(runTransitions, run.state)
  // `run.turn` counts the stored messages: both are written in one transaction, under the run's
  // lock.
  if (hasEnded || run.turn >= turn.turn) {
    await attemptToEnd(tx, turn, 'overlapped').execute()
    return { kind: hasEnded ? 'ended' : 'overlapped' }
  }
  const inputTexts = calls.map((call) => JSON.stringify(call.input))
  const packed = packContents([writeMessageText(text), ...inputTexts])
  const [textHash = '', ...inputHashes] = packed.hashes
  const statement = sql<Selectable<ToolCallTable>>`
    with ${contentsToStore([packed])}, answered as (${messageToStore(turn, textHash)}),
      ended as (${attemptToEnd(tx, turn, 'stored')}), ${turnToTake(turn)}
    ${callsToStore(turn, inputHashes)}
  `
  const updated = { ...run, turn: turn.turn }
  if (calls.length > 0) {
    await unit.event('run.changed', { runId: run.id })
    const inputs = new Map(inputHashes.map((hash, index) => [hash, inputTexts[index] ?? '']))
    return { kind: 'stored', run: updated, sent: unit.sendLast(statement), inputs }
  }
  const written = statement.execute(tx)
  await unit.event('run.changed', { runId: run.id })
  const [closed] = await together([closeLocked(unit, updated, text), written])
  switch (closed.kind) {
    case 'closed':
      return { kind: 'ended' }
    case 'rests':
      return { ...closed, kind: 'waiting_for_input' }
    case 'continue':
      return { kind: 'finished' }
  }
}

/**
 * Inserts and returns the turn's calls. Their first judging follows at once, and is counted here. A
 * call has the model's id, unless an earlier turn has used it or the model gave none: readers of a
 * stream distinguish calls by it. Two calls of one turn with the same id keep it, and both are
 * refused for it.
 */
function callsToStore(
  { runId, turn, answer, usedIds }: TurnToStore,
  inputHashes: readonly string[],
): RawBuilder<Selectable<ToolCallTable>> {
  const renamed = new Map<string, string>()
  const inputs = answer.calls.map((call, index) => {
    const id = newId()
    const own = storable(call.id)
    if (usedIds.has(own)) renamed.set(own, renamed.get(own) ?? `call_${id}`)
    return {
      id,
      position: index + 1,
      tool_call_id: own === '' ? `call_${id}` : (renamed.get(own) ?? own),
      tool: storable(call.tool),
      input_hash: inputHashes[index] ?? '',
    }
  })
  return sql`
    insert into tool_call (id, run_id, turn, position, tool_call_id, tool, input_hash, judged_times)
    select id, ${runId}::uuid, ${turn}::integer, position, tool_call_id, tool, input_hash, 1
    from jsonb_to_recordset(${toJsonb(inputs)}) as inputs(id uuid, position integer, tool_call_id text,
      tool text, input_hash text)
    returning *
  `
}

/** The turn's message, of which a run can have only one. */
function messageToStore({ runId, turn }: TurnToStore, textHash: string): RawBuilder<unknown> {
  return sql`
    insert into message (id, run_id, sequence, turn, role, content_hash)
    select ${newId()}::uuid, ${runId}::uuid, coalesce(max(sequence), 0) + 1, ${turn}::integer, 'assistant', ${textHash}
    from message where run_id = ${runId}
  `
}

function attemptToEnd(tx: Tx, turn: TurnToStore, outcome: AttemptOutcome) {
  return updateTurnAttempt(tx, turn, {
    finished_at: sql<Date>`clock_timestamp()`,
    outcome,
    ...usageColumns(turn.answer.usage),
    cost_usd: turn.costUsd,
    prompt_bytes: String(turn.promptBytes),
  })
}

/** Parts of a `with`: the run takes this turn, which has read the messages up to `readThrough`. */
function turnToTake({ runId, turn, readThrough }: TurnToStore): RawBuilder<unknown> {
  return sql`
    read as (
      update message set turn = ${turn}::integer
      where run_id = ${runId}::uuid and role = 'user' and turn is null and sequence <= ${readThrough}
    ), written_so_far as (
      delete from live_text where run_id = ${runId}::uuid
    ), taken as (
      update run set turn = ${turn}::integer where id = ${runId}::uuid
    )`
}
