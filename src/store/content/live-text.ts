import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** One attempt at a turn of a run. */
export interface TurnAttemptRef {
  readonly runId: string
  readonly turn: number
  readonly attempt: number
}

/** A piece of a text: where it begins, in UTF-16 units, and its characters. */
export interface TextPiece {
  readonly start: number
  readonly text: string
}

/** Notified with the id of a run whose live text or live output has grown. */
export const liveTextChannel = 'countersign_live_text'

/**
 * Adds a piece of the text that a model is writing, and notifies readers. Writes nothing once the
 * turn has its message or the run has ended; returns whether it wrote.
 */
export async function addLiveText(
  db: Db | Tx,
  of: TurnAttemptRef,
  { start, text }: TextPiece,
): Promise<boolean> {
  const result = await sql`
    with open as (
      -- A message that is being stored comes first: then nothing is written behind it.
      select id from run where id = ${of.runId} and turn < ${of.turn} and ended_at is null for share
    ), added as (
      insert into live_text (run_id, turn, attempt, start, text)
      select id, ${of.turn}::integer, ${of.attempt}::integer, ${start}::integer, ${JSON.stringify(text)}
      from open
      on conflict do nothing
      returning run_id
    )
    select pg_notify(${liveTextChannel}, run_id::text) from added
  `.execute(db)
  return result.rows.length > 0
}

/** The part of a text from `offset` on. */
export async function readLiveText(
  db: Db | Tx,
  of: TurnAttemptRef,
  offset: number,
): Promise<string> {
  const { rows } = await sql<TextPiece>`
    select start, text from live_text
    where run_id = ${of.runId} and turn = ${of.turn} and attempt = ${of.attempt}
      -- the piece that holds the offset, and all after it
      and start >= coalesce((
        select max(start) from live_text
        where run_id = ${of.runId} and turn = ${of.turn} and attempt = ${of.attempt}
          and start <= ${offset}
      ), 0)
    order by start
  `.execute(db)
  let read = ''
  for (const { start, text } of rows) {
    // Stops at the first gap, where a piece has yet to arrive.
    if (start > offset + read.length) break
    read += (JSON.parse(text) as string).slice(offset + read.length - start)
  }
  return read
}

/** Removes the text of an attempt without a message, and notifies readers. */
export async function removeLiveText(tx: Db | Tx, of: TurnAttemptRef): Promise<void> {
  await sql`
    with gone as (
      delete from live_text
      where run_id = ${of.runId} and turn = ${of.turn} and attempt = ${of.attempt}
      returning 1
    )
    select pg_notify(${liveTextChannel}, ${of.runId}) where exists (select from gone)
  `.execute(tx)
}
