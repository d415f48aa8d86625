import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { aboutRequest } from './ending/end-request.ts'
import { refuseEnded } from './ending/refuse-ended.ts'
import { requireWords } from '../core/problems/invalid.ts'
import type { RequestDetailRecord } from './facts/request-record.ts'
import { findRequest } from './people/find-request.ts'
import { lockForQueuePerson } from './people/queue-person.ts'
import { viewerOf } from './people/viewer.ts'
import { putSaltedText } from './words/salted-text.ts'

export interface CommentReference {
  readonly request: string
  readonly comment: string
}

/**
 * Replaces the text of the caller's comment while its request is pending: no denial has sent it to
 * the agent yet. The trail keeps the earlier text. Rejects with `forbidden` for somebody else's,
 * `not_found`, `not_eligible`, or how the request ended.
 */
export async function editComment(
  ctx: ServiceContext,
  caller: Caller,
  input: CommentReference & { readonly text: string },
): Promise<RequestDetailRecord['comments'][number]> {
  const { text } = input
  requireWords('text', text)
  const judge = await judgeOf(ctx, caller, input)
  return inUnitOfWork(ctx, judge, async (unit, { request, authority, comment }) => {
    const textHash = await putSaltedText(unit.tx, text)
    const { edited_at: editedAt } = await unit.tx
      .updateTable('comment')
      .set({ text_hash: textHash, edited_at: sql`clock_timestamp()` })
      .where('id', '=', comment.id)
      .returning('edited_at')
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'request.commented',
      ...aboutRequest(request),
      detail: { commentId: comment.id, what: 'edited', text: textHash },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
    const { id, name } = authority.actor
    const { anchor, created_at: at } = comment
    return { id: comment.id, person: { id, name }, text, anchor, at, editedAt }
  })
}

/** Removes the caller's comment while its request is pending. Rejects as `editComment` does. */
export async function removeComment(
  ctx: ServiceContext,
  caller: Caller,
  input: CommentReference,
): Promise<void> {
  const judge = await judgeOf(ctx, caller, input)
  await inUnitOfWork(ctx, judge, async (unit, { request, comment }) => {
    await unit.tx.deleteFrom('comment').where('id', '=', comment.id).execute()
    await unit.audit({
      type: 'request.commented',
      ...aboutRequest(request),
      detail: { commentId: comment.id, what: 'removed' },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  })
}

/** Judges under the request's lock whether the caller may change the comment now. */
async function judgeOf(ctx: ServiceContext, caller: Caller, input: CommentReference) {
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  const lock = lockForQueuePerson(caller, location.id)
  return async (at: JudgingContext) => {
    const { request, authority } = await lock(at)
    const comment = await at.tx
      .selectFrom('comment')
      .selectAll()
      .where('request_id', '=', request.id)
      .where('id', '=', input.comment)
      .executeTakeFirst()
    if (comment === undefined) {
      throw new Problem('not_found', `Request ${request.number} has no comment ${input.comment}`)
    }
    if (comment.person_id !== authority.actor.id) {
      throw new Problem('forbidden', 'Only the author of a comment may edit or remove it')
    }
    const refusal = await refuseEnded(at.tx, request)
    if (refusal !== null) throw refusal
    return { request, authority, comment }
  }
}
