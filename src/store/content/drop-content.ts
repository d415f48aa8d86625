import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** How long removed bytes can be restored: longer than a transaction that stores them. */
const restorableForMs = 60 * 60 * 1000

/**
 * Records that a row no longer refers to these contents; call it in the same transaction. {@link
 * dropReleased} later removes those without any reference. Besides erasure, this is the only way in
 * which bytes leave `content`.
 */
export async function releaseContent(tx: Tx, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  const rows = [...new Set(hashes)].toSorted().map((hash) => ({ hash }))
  await tx
    .insertInto('released_content')
    .values(rows)
    // Rewrites a row that exists already, so that a concurrent `dropReleased` notices and leaves it
    // to the next round.
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet({ hash: sql.ref('excluded.hash') }),
    )
    .execute()
}

/** Released contents with these hashes, or the first `maxContents`. */
export type ReleaseSelection =
  | { readonly only: readonly string[] }
  | { readonly maxContents: number }

/**
 * Removes the bytes of released contents that no row refers to; their hash and size stay. Returns
 * how many were examined and dropped, and how many bytes. References are the foreign keys to
 * `content`. Transactions that store or refer to content that is in use do not wait for this.
 */
export async function dropReleased(
  db: Db,
  selection: ReleaseSelection,
): Promise<{ looked: number; dropped: number; bytes: number }> {
  return db.transaction().execute(async (tx) => {
    const some =
      'only' in selection
        ? sql`where hash = any(${selection.only}) order by hash`
        : sql`order by hash limit ${selection.maxContents}`
    const { rows: released } = await sql<{ hash: string; writing: string }>`
      select hash, xmin::text as writing from released_content ${some}
    `.execute(tx)
    const hashes = released.map(({ hash }) => hash)
    if (hashes.length === 0) return { looked: 0, dropped: 0, bytes: 0 }
    const popular = await stillUsed(tx, hashes)
    const rare = hashes.filter((hash) => !popular.has(hash))
    // Waits for transactions that are about to refer to one of them, and blocks later ones.
    await sql`
      select hash from content where hash = any(${rare}) order by hash for update
    `.execute(tx)
    const used = rare.length === 0 ? popular : await stillUsed(tx, rare)
    const removable = rare.filter((hash) => !used.has(hash))
    const writings = released.map(({ writing }) => writing)
    const { rows } = await sql<{ bytes: string }>`
      with gone as (
        select hash, encoding, bytes, size from content
        where hash = any(${removable}) and encoding <> 'removed'
      ), kept as (
        insert into removed_content (hash, encoding, bytes) select hash, encoding, bytes from gone
        on conflict (hash) do nothing
      ), emptied as (
        update content set encoding = 'removed', bytes = '' from gone where content.hash = gone.hash
      ), looked as (
        delete from released_content
        using unnest(${hashes}::text[], ${writings}::text[]) as seen (hash, writing)
        where released_content.hash = seen.hash and released_content.xmin::text = seen.writing
      )
      select octet_length(bytes) as bytes from gone
    `.execute(tx)
    const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
    return { looked: hashes.length, dropped: rows.length, bytes }
  })
}

/**
 * Deletes bytes that were removed an hour ago, or those of `only` before their time, and restores
 * those that a row began to refer to during their removal. Returns how many were restored.
 */
export async function forgetRemoved(db: Db, selection: ReleaseSelection): Promise<number> {
  const some =
    'only' in selection
      ? sql`hash = any(${selection.only}) order by hash`
      : sql`removed_at < clock_timestamp() - ${restorableForMs} * interval '1 millisecond'
          order by hash limit ${selection.maxContents}`
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ hash: string }>`
      select hash from removed_content where ${some} for update skip locked
    `.execute(tx)
    const hashes = rows.map(({ hash }) => hash)
    if (hashes.length === 0) return 0
    // Waits for transactions that refer to one of them and are not committed.
    await sql`
      select from content where hash = any(${hashes}) and encoding = 'removed'
      order by hash for update
    `.execute(tx)
    const usedHashes = [...(await stillUsed(tx, hashes))]
    const back = await sql`
      update content set encoding = removed_content.encoding, bytes = removed_content.bytes
      from removed_content
      where content.hash = removed_content.hash and content.encoding = 'removed'
        and content.hash = any(${usedHashes})
    `.execute(tx)
    await tx.deleteFrom('removed_content').where('hash', 'in', hashes).execute()
    return Number(back.numAffectedRows ?? 0n)
  })
}

/**
 * The hashes among these that a row of any table refers to. References from the input of the runs
 * in `exceptRuns` do not count. Scans each table once.
 */
export async function stillUsed(
  tx: Tx,
  hashes: readonly string[],
  exceptRuns: readonly string[] = [],
): Promise<Set<string>> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select conrelid::regclass::text as table, attname as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'content'::regclass
  `.execute(tx)
  const used = new Set<string>()
  for (const { table, column } of columns) {
    const { rows } = await sql<{ hash: string }>`
      select distinct ${sql.ref(column)} as hash from ${sql.table(table)}
      where ${sql.ref(column)} = any(${hashes})
      ${exceptRuns.length > 0 && table === 'run' ? sql`and id <> all(${exceptRuns}::uuid[])` : sql``}
    `.execute(tx)
    for (const { hash } of rows) used.add(hash)
  }
  return used
}
