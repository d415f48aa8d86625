import { sql, type RawBuilder } from 'kysely'
import { toJsonb } from '#store/database.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'

/** A file whose bytes a request refers to, so that they are kept as long as it does. */
interface FileOfRequest {
  readonly requestId: string
  readonly hash: string
}

export function filesOf(
  requestId: string,
  { fileHashes = [] }: Pick<StoredPresentation, 'fileHashes'>,
): readonly FileOfRequest[] {
  return [...new Set(fileHashes)].map((hash) => ({ requestId, hash }))
}

/** The query that records files. They are written with the revision that shows them. */
export function filesToRecord(files: readonly FileOfRequest[]): RawBuilder<unknown> {
  return sql`
    insert into request_file (request_id, hash)
    select "requestId", hash from jsonb_to_recordset(${toJsonb(files)}) as given("requestId" uuid, hash text)
    on conflict do nothing
  `
}
