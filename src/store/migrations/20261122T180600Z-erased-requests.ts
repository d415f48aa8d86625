import { zstdDecompressSync } from 'node:zlib'
import { sql, type Kysely } from 'kysely'

const atOnce = 500

/**
 * Requests whose contents a person had erased, with the hash and size of what went. And the files
 * that a command's request keeps: their hashes stand in what is shown, which nothing can look into,
 * so that bytes that two share went with the first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table erased_request (
      request_id uuid primary key references request(id),
      by_id uuid not null references person(id),
      at timestamptz not null default clock_timestamp(),
      -- [{of, revision, hash, bytes}]
      contents jsonb not null
    );
    create table request_file (
      request_id uuid not null references request(id),
      hash text not null references content(hash),
      primary key (request_id, hash)
    )
  `.execute(db)
  let last = { request_id: '00000000-0000-0000-0000-000000000000', revision: 0 }
  for (let read = atOnce; read === atOnce;) {
    const { rows } = await sql<ShownRow>`
      select shown.request_id, shown.revision, content.encoding, content.bytes
      from request_revision as shown
      join request on request.id = shown.request_id
      join content on content.hash = shown.presentation_hash
      where request.tool in ('exec', 'shell') and content.encoding <> 'removed'
        and (shown.request_id, shown.revision) > (${last.request_id}::uuid, ${last.revision})
      order by shown.request_id, shown.revision limit ${sql.lit(atOnce)}
    `.execute(db)
    for (const row of rows) await keep(db, row)
    last = rows.at(-1) ?? last
    read = rows.length
  }
}

interface ShownRow {
  readonly request_id: string
  readonly revision: number
  readonly encoding: string
  readonly bytes: Buffer
}

async function keep(db: Kysely<unknown>, row: ShownRow): Promise<void> {
  const text = row.encoding === 'zstd' ? zstdDecompressSync(row.bytes) : row.bytes
  const { metadata } = JSON.parse(text.toString('utf8')) as {
    metadata?: { files?: readonly { hash?: unknown }[] }
  }
  const hashes = (metadata?.files ?? []).flatMap(({ hash }) =>
    typeof hash === 'string' ? [hash] : [],
  )
  // Of a file that is too large or withheld only the hash is there.
  await sql`
    insert into request_file (request_id, hash)
    select ${row.request_id}::uuid, hash from content where hash = any(${hashes})
    on conflict do nothing
  `.execute(db)
}
