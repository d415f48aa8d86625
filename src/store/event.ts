import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { JsonObject } from '../domain/json.ts'
import { toJsonb, type Tx } from './database.ts'

/** Types of the live stream (api.md): ids only, the reader fetches again. */
export type StreamEventType =
  | 'request.opened'
  | 'request.changed'
  | 'request.decided'
  | 'request.closed'
  | 'run.changed'

/** Writes an event for the stream in the caller's transaction. One writer numbers it after commit, so replay skips nothing. */
export async function recordEvent(
  tx: Tx,
  type: StreamEventType,
  subject: JsonObject,
): Promise<void> {
  await tx
    .insertInto('event')
    .values({ id: uuidv7(), type, subject: toJsonb(subject) })
    .execute()
  await sql`select pg_notify('countersign_event', '')`.execute(tx)
}
