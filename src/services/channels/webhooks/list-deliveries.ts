import { sql, type RawBuilder } from 'kysely'
import type { WebhookDelivery } from '#api/schemas/notifications/webhooks.ts'
import type { DeliveryState } from '#domain/channels/delivery-state.ts'
import { kindOfEndpoint } from '#domain/channels/channel-kind.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import { hasRight } from '../../core/rights-of.ts'
import { callbackEndpoint } from '../../requests/ending/notify-program.ts'
import type { RecordOf } from '../../core/record-of.ts'

export type DeliveryRecord = RecordOf<WebhookDelivery>

/** Whether somebody may see endpoints and deliveries: with `readAudit` or `activatePolicy`. */
export async function mayReadWebhooks(ctx: ServiceContext, { actor }: Caller): Promise<boolean> {
  return (await hasRight(ctx, actor, 'readAudit')) || (await hasRight(ctx, actor, 'activatePolicy'))
}

/** Rejects with `forbidden` for callers who may not see them. */
export async function requireWebhookReader(ctx: ServiceContext, caller: Caller): Promise<void> {
  if (await mayReadWebhooks(ctx, caller)) return
  throw new Problem(
    'forbidden',
    'This needs the right readAudit or activatePolicy (rights in countersign.yaml)',
  )
}

/**
 * Lists notifications, newest first, without their bodies. `mine`: only callbacks to programs with
 * keys of the caller, which anybody may list. Rejects with `forbidden` without the right to read
 * the others.
 */
export async function listDeliveries(
  ctx: ServiceContext,
  caller: Caller,
  input: PageInput & {
    readonly endpoint?: string
    readonly state?: DeliveryState
    readonly mine?: boolean
  },
): Promise<Page<DeliveryRecord>> {
  if (input.mine !== true) await requireWebhookReader(ctx, caller)
  const [at, id] = keysBefore(input, 'deliveries', ['instant', 'id']) ?? []
  let query = ctx.db
    .selectFrom('delivery')
    .select([
      'id',
      'endpoint',
      'recipient',
      'type',
      'request_id',
      'state',
      'attempts',
      'next_attempt_at',
    ])
    .select(['last_status', 'last_error', 'created_at', 'ended_at'])
    .select(sql<string>`created_at::text`.as('key_at'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(input) + 1)
  if (input.mine === true) query = query.where(isOwnCallback(personBehind(caller)))
  if (input.endpoint !== undefined) query = query.where('endpoint', '=', input.endpoint)
  if (input.state !== undefined) query = query.where('state', '=', input.state)
  if (at !== undefined) {
    query = query.where(sql<boolean>`(created_at, id) < (${at}::timestamptz, ${id}::uuid)`)
  }
  const page = pageFrom(await query.execute(), input, 'deliveries', (row) => [row.key_at, row.id])
  const items = page.items.map((row) => ({
    id: row.id,
    endpoint: row.endpoint,
    kind: kindOfEndpoint(row.endpoint),
    recipient: row.recipient === '' ? null : row.recipient,
    type: row.type,
    requestId: row.request_id,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.state === 'pending' ? row.next_attempt_at : null,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }))
  return { items, nextCursor: page.nextCursor }
}

/** Condition on `delivery`: a callback to a program whose key belonged to this person. */
export function isOwnCallback(personId: string): RawBuilder<boolean> {
  return sql<boolean>`delivery.endpoint = ${callbackEndpoint} and delivery.recipient in (
    select id from api_key where owner_id = ${personId})`
}
