import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/**
 * How long removed bytes can still come back: longer than any transaction that stores the same ones
 * can take.
 */
const restorableForMs = 60 * 60 * 1000

/**
 * Says that something stopped referring to these contents, in the transaction in which it did.
 * Whether others still do is found out later ({@link dropReleased}), for many at once. The one way
 * in which bytes leave `content`: whoever erases a single content calls it with that hash.
 */
export async function releaseContent(tx: Tx, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  const rows = [...new Set(hashes)].toSorted().map((hash) => ({ hash }))
  await tx
    .insertInto('released_content')
    .values(rows)
    // Also one that waits already is written anew: whoever looks at it meanwhile sees that, and
    // leaves it to the next look.
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet({ hash: sql.ref('excluded.hash') }),
    )
    .execute()
}

/** Those with these hashes, or so many of all that wait. */
export type ReleaseSelection = { readonly only: readonly string[] } | { readonly most: number }

/**
 * Removes the bytes of released contents that no row refers to; their hash and size stay. Returns
 * how many were looked at, and how many bytes went. What refers to a content is known to Postgres
 * (every foreign key to `content`). Nobody who stores, or refers to, what others refer to waits for
 * the look.
 */
export async function dropReleased(
  db: Db,
  selection: ReleaseSelection,
): Promise<{ looked: number; dropped: number; bytes: number }> {
  return db.transaction().execute(async (tx) => {
    const some =
      'only' in selection
        ? sql`where hash = any(${selection.only}) order by hash`
        : sql`order by hash limit ${selection.most}`
    const { rows: released } = await sql<{ hash: string; writing: string }>`
      select hash, xmin::text as writing from released_content ${some}
    `.execute(tx)
    const hashes = released.map(({ hash }) => hash)
    if (hashes.length === 0) return { looked: 0, dropped: 0, bytes: 0 }
    const popular = await stillUsed(tx, hashes)
    const rare = hashes.filter((hash) => !popular.has(hash))
    // Waits for those who are about to refer to one, and has those who come later wait.
    await sql`
      select hash from content where hash = any(${rare}) order by hash for update
    `.execute(tx)
    const used = rare.length === 0 ? popular : await stillUsed(tx, rare)
    const unused = rare.filter((hash) => !used.has(hash))
    const writings = released.map(({ writing }) => writing)
    const { rows } = await sql<{ bytes: string }>`
      with gone as (
        select hash, encoding, bytes, size from content
        where hash = any(${unused}) and encoding <> 'removed'
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
 * Forgets bytes that were removed an hour ago for good, and brings those back that somebody began
 * to refer to in the moment of their removal. Returns how many came back.
 */
export async function forgetRemoved(db: Db, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ hash: string }>`
      select hash from removed_content
      where removed_at < clock_timestamp() - ${restorableForMs} * interval '1 millisecond'
      order by hash limit ${most} for update skip locked
    `.execute(tx)
    const hashes = rows.map(({ hash }) => hash)
    if (hashes.length === 0) return 0
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
 * Those of the hashes that a row of any table refers to; the input of the runs `but` does not
 * count. Looks through each table once, however many they are.
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
