import { v7 as uuidv7 } from 'uuid'
import { limits } from '../../domain/limits.ts'
import { aboutRequest } from '../decisions/ending/end-request.ts'
import { invalid } from '../decisions/decision-input.ts'
import { putSaltedText } from '../decisions/salted-text.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { lockRequests } from '../locks.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { findRequest } from './find-request.ts'
import { requireQueuePerson } from './queue-person.ts'
import type { RequestDetailRecord } from './request-record.ts'
import { viewerOf } from './viewer.ts'

/** Says something about a request to the queue's people, of whom the caller must be one. `text`: 1 to 4,000 characters. */
export async function commentRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly text: string },
): Promise<RequestDetailRecord['comments'][number]> {
  const { text } = input
  if (text.trim() === '' || text.length > limits.reasonCharacters) {
    throw invalid('text', `must have 1 to ${limits.reasonCharacters} characters`)
  }
  const found = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  return inUnitOfWork(ctx, async (unit) => {
    const [request] = await lockRequests(unit.tx, [found.id])
    if (request === undefined) throw new Error(`Request ${found.id} is gone`)
    const personId = await requireQueuePerson(unit.tx, caller, request)
    const id = uuidv7()
    const textHash = await putSaltedText(unit.tx, text)
    const row = await unit.tx
      .insertInto('comment')
      .values({ id, request_id: request.id, person_id: personId, text_hash: textHash })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'request.commented',
      actor: caller.actor,
      channel: caller.channel,
      ...aboutRequest(request),
      detail: { commentId: id, text: textHash },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
    const name = caller.actor.type === 'person' ? caller.actor.name : ''
    return { id, person: { id: personId, name }, text, at: row.created_at }
  })
}
