import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import { aboutRequest } from './ending/end-request.ts'
import { requireWords } from '../core/problems/invalid.ts'
import { requireAnchor } from './facts/require-anchor.ts'
import { putSaltedText } from './words/salted-text.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { findRequest } from './people/find-request.ts'
import { lockForQueuePerson } from './people/queue-person.ts'
import type { RequestDetailRecord } from './facts/request-record.ts'
import { viewerOf } from './people/viewer.ts'

/** Comments of one person on one request, whose page has them all. */
const maxComments = 100

/**
 * Adds a comment to a request, for people of the queue. `text`: 1 to 4,000 characters. With an
 * `anchor` it is about a line of what the request shows, and a later denial sends it to the agent
 * (product.md 41). Rejects with `conflict` over 100 comments of the caller.
 */
export async function commentRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly text: string; readonly anchor?: CommentAnchor },
): Promise<RequestDetailRecord['comments'][number]> {
  const { text, anchor = null } = input
  requireWords('text', text)
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  const judge = lockForQueuePerson(caller, location.id)
  return inUnitOfWork(ctx, judge, async (unit, { request, authority }) => {
    const { actor: person } = authority
    await requireFewComments(unit.tx, request.id, person.id)
    if (anchor !== null) await requireAnchor(unit.tx, request, anchor)
    const id = newId()
    const textHash = await putSaltedText(unit.tx, text)
    const row = await unit.tx
      .insertInto('comment')
      .values({
        id,
        request_id: request.id,
        person_id: person.id,
        text_hash: textHash,
        anchor: anchor === null ? null : toJsonb(anchor),
      })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'request.commented',
      ...aboutRequest(request),
      detail: { commentId: id, text: textHash },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
    const author = { id: person.id, name: person.name }
    return { id, person: author, text, anchor, at: row.created_at, editedAt: null }
  })
}

async function requireFewComments(tx: Tx, requestId: string, personId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('comment')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('request_id', '=', requestId)
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  if (Number(count) < maxComments) return
  throw new Problem('conflict', `A request takes at most ${maxComments} comments of one person`)
}
