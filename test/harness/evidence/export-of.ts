import type { LogFiles } from '#evidence/bundle/log-files.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import { logAsFiles } from '#services/audit/export/log-as-files.ts'
import type { Db } from '#store/database.ts'

/** A full export of what the database holds, in memory. */
export async function exportOf(
  db: Db,
  signer: NoteSigner,
  verifier: Verifier,
): Promise<LogFiles & { readonly files: Map<string, Uint8Array> }> {
  const files = new Map<string, Uint8Array>()
  for await (const { path, bytes } of logAsFiles(db, formatStatementKeys(verifier, signer))) {
    files.set(path, bytes)
  }
  return { files, read: (path) => files.get(path) ?? null }
}
