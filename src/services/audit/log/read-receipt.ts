import type { Caller, ServiceContext } from '../../core/context.ts'
import { findRequestFor } from '../../requests/people/find-request.ts'
import { proveEvents, type ProvenLeaf } from './prove-events.ts'
import { readCheckpoint } from './read-checkpoint.ts'

/** An event of a request with its proof. `document`: its exact bytes. */
export interface ReceiptEvent extends ProvenLeaf {
  readonly document: string
}

/** For approvers: a signed checkpoint, and proofs that it covers the request's events. */
export interface Receipt {
  readonly requestId: string
  readonly note: string
  readonly events: readonly ReceiptEvent[]
  /** number of events that the checkpoint does not cover yet: it will within two seconds */
  readonly waiting: number
}

/**
 * The receipt of a request that the caller may see, in the order of its events. Rejects with
 * `not_found` for any other, and before the log's first checkpoint.
 */
export async function readReceipt(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<Receipt> {
  const { id } = await findRequestFor(ctx, caller, input.request)
  const checkpoint = await readCheckpoint(ctx)
  const events = await ctx.db
    .selectFrom('audit_event')
    .select(['id', 'document'])
    .where('request_id', '=', id)
    .orderBy('sequence')
    .execute()
  const proven = await proveEvents(
    ctx.db,
    checkpoint,
    events.map((event) => event.id),
  )
  const covered = events.flatMap(({ id, document }) => {
    const leaf = proven.get(id)
    return leaf === undefined ? [] : [{ ...leaf, document }]
  })
  const openCount = events.length - covered.length
  return { requestId: id, note: checkpoint.note, events: covered, waiting: openCount }
}
