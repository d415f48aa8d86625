import { isPictureType, pictureTypeOf, type PictureType } from '#domain/tools/picture-type.ts'
import { Problem } from '#domain/problem.ts'
import { getContent } from '#store/content/content.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { assertVisible } from '../visible-run.ts'

/** Bytes of a result. `picture`: the media type, for a picture that was stored as one. */
export interface CallFile {
  readonly bytes: Buffer
  readonly picture: PictureType | null
}

/**
 * A picture, sound or blob that a call's tool returned, by its hash in the transcript. Rejects with
 * `not_found` for a run, call or file that the caller may not see.
 */
export async function readCallFile(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly callId: string; readonly hash: string },
): Promise<CallFile> {
  const files = await ctx.db
    .selectFrom('result_file')
    .innerJoin('tool_call', 'tool_call.id', 'result_file.call_id')
    .select(['run_id', 'media_type'])
    .where('call_id', '=', input.callId)
    .where('hash', '=', input.hash)
    .execute()
  const [file] = files
  const sentence = `There is no call ${input.callId} with such a file that you may see`
  const missing = new Problem('not_found', sentence)
  if (file === undefined) throw missing
  await assertVisible(ctx, caller, file.run_id, missing)
  const bytes = await getContent(ctx.db, input.hash)
  const isPicture = files.some((one) => isPictureType(one.media_type))
  return { bytes, picture: isPicture ? pictureTypeOf(bytes) : null }
}
