import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Db } from '#store/database.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { assertVisible } from '../visible-run.ts'
import { advanceStream, type StreamProgress } from './advance-stream.ts'
import { readStreamView } from './read-stream-view.ts'
import { beginAt, parseCursor, type StreamCursor } from './stream-cursor.ts'

/**
 * The first position of a reader of a run's stream: after the event `after`, else at the turn in
 * progress. `null` when the run rests or has ended and nothing is left to send. Rejects with
 * `not_found` for a run that the caller may not see, and with `invalid_request` when `after` is not
 * an event id.
 */
export async function beginRunStream(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly runId: string; readonly after: string | null },
): Promise<StreamCursor | null> {
  const { runId, after } = input
  await assertVisible(ctx, caller, runId)
  const startAfter = after === null ? null : parseCursor(after)
  if (after !== null && startAfter === null) {
    throw new Problem('invalid_request', 'Last-Event-ID is not the id of an event of this stream', {
      field: 'Last-Event-ID',
    })
  }
  const { turns, turn, rests } = await positionOf(ctx.db, runId)
  // The id of a turn that does not exist is of a database that was since restored from a backup.
  if (startAfter === null || startAfter.turn > turns + 1) return rests ? null : beginAt(turn)
  if (startAfter.stage !== 'done') return startAfter
  return rests && turns <= startAfter.turn ? null : beginAt(startAfter.turn + 1)
}

/**
 * The next events for a reader. The caller has authorised the reader (`beginRunStream`), and
 * repeats that now and then. Rejects with `not_found` when the run no longer exists.
 */
export async function readRunStream(
  ctx: Pick<ServiceContext, 'db'>,
  input: { readonly runId: string; readonly cursor: StreamCursor },
): Promise<StreamProgress> {
  const view = await readStreamView(ctx.db, input.runId, input.cursor)
  if (view === null) throw new Problem('not_found', 'This run no longer exists')
  return advanceStream(input.cursor, view)
}

/** Whether the caller may still read: rights and teams can change while a stream is open. */
export async function isVisible(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<boolean> {
  try {
    await assertVisible(ctx, caller, runId)
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return false
    throw error
  }
}

interface RunPosition {
  readonly turns: number
  /** the turn in progress: the last one while a call of it has no result, else the next */
  readonly turn: number
  readonly rests: boolean
}

async function positionOf(db: Db, runId: string): Promise<RunPosition> {
  const { rows } = await sql<RunPosition>`
    select turn as turns,
      case when turn > 0 and exists (
        select from tool_call where run_id = run.id and turn = run.turn and result_type is null
      ) then turn else turn + 1 end as turn,
      ended_at is not null or state = 'waiting_for_input' as rests
    from run where id = ${runId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) throw new Problem('not_found', 'This run no longer exists')
  return row
}
