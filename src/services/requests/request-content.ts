import { getContent } from '../../store/content.ts'
import { aboutRequest } from '../decisions/ending/end-request.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { lockRequests } from '../locks.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { findRequest } from './find-request.ts'
import { viewerOf } from './viewer.ts'

export interface RequestContent {
  readonly bytes: Buffer
  /** `text/plain` or `application/octet-stream` */
  readonly contentType: string
  /** hash of the bytes, for `x-content-digest` */
  readonly digest: string
}

/**
 * Every byte of what the current revision will write or run. Raw bytes may hold secrets that pages mask, so that reading
 * them is recorded (security.md 20). Rejects with `not_found`.
 */
export async function requestContent(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<RequestContent> {
  const found = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  return inUnitOfWork(ctx, async (unit) => {
    const [request] = await lockRequests(unit.tx, [found.id])
    if (request === undefined) throw new Error(`Request ${found.id} is gone`)
    const revision = await unit.tx
      .selectFrom('request_revision')
      .select(['content_hash', 'content_type'])
      .where('request_id', '=', request.id)
      .where('revision', '=', request.revision)
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'content.revealed',
      actor: caller.actor,
      channel: caller.channel,
      ...aboutRequest(request),
      detail: { revision: request.revision, content: revision.content_hash },
    })
    const bytes = await getContent(unit.tx, revision.content_hash)
    return { bytes, contentType: revision.content_type, digest: revision.content_hash }
  })
}
