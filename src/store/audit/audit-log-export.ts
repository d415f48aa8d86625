import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../database.ts'
import { eventDocument, eventInstant } from './event-document.ts'

/** Documents of leaves from `begin` to before `end`; `null`: no leaf, or no event. */
export async function readLeavesUnchecked(
  db: Db,
  begin: number,
  end: number,
): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('audit_leaf')
    .leftJoin('audit_event', 'audit_event.id', 'audit_leaf.event_id')
    .select(['audit_leaf.index', 'audit_event.document'])
    .where('audit_leaf.index', '>=', String(begin))
    .where('audit_leaf.index', '<', String(end))
    .execute()
  const documents = new Map(rows.map((row) => [Number(row.index), row.document]))
  return Array.from({ length: end - begin }, (_, index) => documents.get(begin + index) ?? null)
}

/** Roots of a level's whole tiles from `begin` to before `end`; `null`: missing. */
export async function readTileRootsUnchecked(
  db: Db,
  level: number,
  begin: number,
  end: number,
): Promise<(Buffer | null)[]> {
  const rows = await db
    .selectFrom('audit_tile')
    .select(['index', 'root'])
    .where('level', '=', level)
    .where('index', '>=', String(begin))
    .where('index', '<', String(end))
    .execute()
  const roots = new Map(rows.map((row) => [Number(row.index), row.root]))
  return Array.from({ length: end - begin }, (_, index) => roots.get(begin + index) ?? null)
}

/** Signed checkpoints with a size above `after`, the smallest first. */
export async function readCheckpoints(
  db: Db,
  after: number,
  maxRows: number,
): Promise<{ size: number; note: string }[]> {
  const rows = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note'])
    .where('size', '>', String(after))
    .orderBy('size')
    .limit(maxRows)
    .execute()
  return rows.map(({ size, note }) => ({ size: Number(size), note }))
}

/**
 * Events that the newest checkpoint does not cover: events without a leaf (`index` is `null`), and
 * events with a leaf that no checkpoint covers. The service itself never leaves such a leaf.
 * `document` is empty when the event of a leaf is missing.
 */
export async function readUncovered(
  db: Db,
  maxRows: number,
): Promise<{ index: number | null; document: string }[]> {
  const { rows } = await sql<{ index: string | null; document: string }>`
    select audit_leaf.index, coalesce(audit_event.document, '') as document
    from audit_event full join audit_leaf on audit_leaf.event_id = audit_event.id
    where audit_leaf.index is null
      or audit_leaf.index >= coalesce((select max(size) from audit_checkpoint), 0)
    order by audit_leaf.index nulls first, audit_event.at, audit_event.id limit ${maxRows}
  `.execute(db)
  return rows.map(({ index, document }) => ({
    index: index === null ? null : Number(index),
    document,
  }))
}

/** Ids of events whose search columns differ from their document. */
export async function readMisfiled(db: Db, maxRows: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    ${misfiledEvents} order by id limit ${maxRows}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The query of {@link readMisfiled}. Without `offset 0` Postgres parses a document for each
 * comparison, which takes ten times as long.
 */
export const misfiledEvents: RawBuilder<{ readonly id: string }> = sql`
  select id from (
    select *, ${eventDocument} as parsed from audit_event offset 0
  ) as filed
  where parsed is null or parsed ->> 'id' is distinct from id::text
    or ${eventInstant(sql`parsed ->> 'at'`)} is distinct from at
    or parsed ->> 'type' is distinct from type
    or parsed -> 'actor' ->> 'type' is distinct from actor_type
    or (actor_type <> 'policy' and parsed -> 'actor' ->> 'id' is distinct from actor_id)
    or parsed ->> 'runId' is distinct from run_id::text
    or parsed ->> 'requestId' is distinct from request_id::text
    or parsed ->> 'callId' is distinct from call_id::text
    or parsed ->> 'sequence' is distinct from sequence::text`

/** Stored whole tiles that a tree of `size` leaves does not have. */
export async function readStrayTiles(
  db: Db,
  size: number,
  maxRows: number,
): Promise<{ level: number; index: number }[]> {
  const { rows } = await sql<{ level: number; index: string }>`
    select level, index from audit_tile
    where (index + 1)::numeric * power(256::numeric, level + 1) > ${size} order by level, index limit ${maxRows}
  `.execute(db)
  return rows.map(({ level, index }) => ({ level, index: Number(index) }))
}
