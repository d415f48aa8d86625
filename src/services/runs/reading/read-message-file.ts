import { sql } from 'kysely'
import { isPictureType, pictureTypeOf } from '#domain/tools/picture-type.ts'
import { Problem } from '#domain/problem.ts'
import { getContent } from '#store/content/content.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { assertVisible } from '../visible-run.ts'
import type { CallFile } from './read-call-file.ts'

/**
 * A file of a message of a run, or of the turns that it was forked from, by its hash in the
 * transcript. Rejects with `not_found` for a run or file that the caller may not see.
 */
export async function readMessageFile(
  ctx: ServiceContext,
  caller: Caller,
  { runId, hash }: { readonly runId: string; readonly hash: string },
): Promise<CallFile> {
  await assertVisible(ctx, caller, runId)
  const { rows: files } = await sql<{ media_type: string }>`
    select media_type from message_file join message on message.id = message_id
    where hash = ${hash} and (run_id = ${runId} or exists (
      select from run_prefix as prefix where prefix.run_id = ${runId}
        and prefix.from_run_id = message.run_id
        and message.turn between prefix.first_turn and prefix.last_turn))
  `.execute(ctx.db)
  if (files.length === 0) throw new Problem('not_found', 'No message of this run has such a file')
  const bytes = await getContent(ctx.db, hash)
  const isPicture = files.some((one) => isPictureType(one.media_type))
  return { bytes, picture: isPicture ? pictureTypeOf(bytes) : null }
}
