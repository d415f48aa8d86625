import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** An event that has no leaf yet, at its place in the queue. */
export interface UnsequencedEvent {
  readonly place: string
  readonly eventId: string
}

/** Events that have no leaf yet, in the order in which they were written. */
export async function readUnsequenced(db: Db | Tx, maxEvents: number): Promise<UnsequencedEvent[]> {
  return db
    .selectFrom('audit_unsequenced')
    .select(['place', 'event_id as eventId'])
    .orderBy('place')
    .limit(maxEvents)
    .execute()
}

/**
 * Writes the leaves from `begin` on for events, in order. Rejects (unique violation) when a leaf or
 * an event is taken, because another sequencer was faster; the caller's transaction is undone.
 */
export async function writeLeaves(
  tx: Tx,
  begin: number,
  events: readonly UnsequencedEvent[],
): Promise<void> {
  await sql`
    insert into audit_leaf (index, event_id)
    select ${begin}::bigint + place - 1, id
    from unnest(${events.map((event) => event.eventId)}::uuid[]) with ordinality as event(id, place)
  `.execute(tx)
  await sql`
    delete from audit_unsequenced where place = any(${events.map((event) => event.place)}::bigint[])
  `.execute(tx)
}

/**
 * Hashes of the leaves from `begin` to before `end`, of the documents as they are now (RFC 6962
 * 2.1). Rejects unless all are there.
 */
export async function readLeafHashes(db: Db | Tx, begin: number, end: number): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select sha256('\\x00'::bytea || convert_to(audit_event.document, 'UTF8')) as hash
    from audit_leaf join audit_event on audit_event.id = audit_leaf.event_id
    where audit_leaf.index >= ${begin} and audit_leaf.index < ${end} order by audit_leaf.index
  `.execute(db)
  return whole(rows, begin, end).map((row) => row.hash)
}

/** Documents of leaves from `begin` to before `end`. Rejects unless all are there. */
export async function readLeafDocuments(
  db: Db | Tx,
  begin: number,
  end: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_leaf')
    .innerJoin('audit_event', 'audit_event.id', 'audit_leaf.event_id')
    .select('audit_event.document')
    .where('audit_leaf.index', '>=', String(begin))
    .where('audit_leaf.index', '<', String(end))
    .orderBy('audit_leaf.index')
    .execute()
  return whole(rows, begin, end).map((row) => row.document)
}

/** The index of each event that has a leaf. */
export async function readLeafIndexes(
  db: Db | Tx,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ index: string; eventId: string }>`
    select index, event_id as "eventId" from audit_leaf where event_id = any(${eventIds}::uuid[])
  `.execute(db)
  return new Map(rows.map((row) => [row.eventId, Number(row.index)]))
}

/** A whole tile: its 256 hashes, concatenated, and the root hash of their subtree. */
export interface WholeTile {
  readonly level: number
  readonly index: number
  readonly root: Buffer
  readonly hashes: Buffer
}

/** Stores tiles that are whole. Rejects when one of them is stored already. */
export async function writeTiles(tx: Tx, tiles: readonly WholeTile[]): Promise<void> {
  const rows = tiles.map((tile) => ({ ...tile, index: String(tile.index) }))
  if (rows.length > 0) await tx.insertInto('audit_tile').values(rows).execute()
}

/** The hashes of a whole tile; `null` when the tile is not whole yet. */
export async function readWholeTile(
  db: Db | Tx,
  level: number,
  index: number,
): Promise<Buffer | null> {
  const row = await db
    .selectFrom('audit_tile')
    .select('hashes')
    .where('level', '=', level)
    .where('index', '=', String(index))
    .executeTakeFirst()
  return row?.hashes ?? null
}

/** Roots of a level's whole tiles from `begin` to before `end`. Rejects unless all are there. */
export async function readTileRoots(
  db: Db | Tx,
  level: number,
  begin: number,
  end: number,
): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('audit_tile')
    .select('root')
    .where('level', '=', level)
    .where('index', '>=', String(begin))
    .where('index', '<', String(end))
    .orderBy('index')
    .execute()
  return whole(rows, begin, end).map((row) => row.root)
}

/** A signed checkpoint as it was stored. */
export interface StoredCheckpoint {
  readonly size: number
  readonly note: string
}

export interface NewestCheckpoint extends StoredCheckpoint {
  readonly at: Date
}

/** The newest checkpoint, and when it was stored; `null` before the first. */
export async function readNewestCheckpoint(db: Db | Tx): Promise<NewestCheckpoint | null> {
  const row = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'at'])
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { ...row, size: Number(row.size) }
}

/** Stores a signed note of the log; `size` is its number of entries. */
export async function writeCheckpoint(tx: Tx, { size, note }: StoredCheckpoint): Promise<void> {
  await tx
    .insertInto('audit_checkpoint')
    .values({ size: String(size), note })
    .execute()
}

function whole<Row>(rows: Row[], begin: number, end: number): Row[] {
  if (rows.length === end - begin) return rows
  throw new Error(`The log has ${rows.length} of its entries ${begin} to ${end - 1}`)
}
