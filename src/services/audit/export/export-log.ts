import { archiveEnd, archiveFile } from '#evidence/bundle/tar.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { exporterOf, recordExport } from '../audit-filter.ts'
import { logAsFiles } from './log-as-files.ts'
import { untilCovered } from './until-covered.ts'

/**
 * The whole log as an archive (tar) of the files that `audit verify` reads: C2SP tlog-tiles, and
 * beside it statements, keys and older checkpoints. Exporting is an event, recorded and covered by
 * the log before the first byte. Rejects with `forbidden` for callers who may not read the whole
 * trail.
 */
export async function exportLog(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly keysNote: string; readonly keyReadsAudit: boolean },
): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
  const { keyReadsAudit } = input
  const { authority } = await exporterOf(ctx, caller, { keyReadsAudit, subject: 'the log' })
  await recordExport(ctx, authority, { format: 'log', filter: {} })
  await untilCovered(ctx.db)
  async function* archive(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const file of logAsFiles(ctx.db, input.keysNote)) yield archiveFile(file)
    yield archiveEnd
  }
  return archive()
}
