import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** Who ordered the erasure of bytes, and when. */
export interface Erasure {
  readonly by: string
  readonly at: Date
}

/**
 * Removes the bytes of contents at once, although rows refer to them; hash and size stay. Use it
 * for contents that a single row refers to; otherwise drop the references first (`releaseContent`).
 * Returns the hashes that were not erased before.
 */
export async function eraseContents(
  tx: Tx,
  hashes: readonly string[],
  byId: string,
): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    with emptied as (
      update content set encoding = 'removed', bytes = ''
      where hash = any(${hashes}) and encoding <> 'removed' returning hash
    ), forgotten as (
      delete from removed_content where hash = any(${hashes})
    )
    insert into erased_content (hash, by_id) select hash, ${byId}::uuid from emptied
    on conflict (hash) do nothing returning hash
  `.execute(tx)
  return rows.map(({ hash }) => hash).toSorted()
}

/** The erasure of each erased content, by hash. */
export async function readErased(
  db: Db | Tx,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Erasure>> {
  if (hashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('erased_content')
    .innerJoin('person', 'person.id', 'erased_content.by_id')
    .select(['erased_content.hash', 'erased_content.at', 'person.name'])
    .where('erased_content.hash', 'in', hashes)
    .execute()
  return new Map(rows.map(({ hash, at, name }) => [hash, { by: name, at }]))
}
