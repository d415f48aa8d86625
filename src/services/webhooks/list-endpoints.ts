import type { Caller, ServiceContext } from '../context.ts'
import type { WebhookEndpoint } from '../../policy/policy.ts'
import { requireWebhookReader, type DeliveryState } from './list-deliveries.ts'

export interface EndpointRecord extends Pick<WebhookEndpoint, 'name' | 'events' | 'queues'> {
  /** where it is; paths and queries of such addresses may be secret, so they are left out */
  readonly origin: string
  /** notifications that wait, and those that were given up */
  readonly pending: number
  readonly dead: number
}

/** The endpoints of the policy in force, by name. Rejects with `forbidden` as `listDeliveries` does. */
export async function listEndpoints(
  ctx: ServiceContext,
  caller: Caller,
): Promise<readonly EndpointRecord[]> {
  await requireWebhookReader(ctx, caller)
  const { config } = await ctx.policies.inForce()
  const counts = await ctx.db
    .selectFrom('delivery')
    .select(['endpoint', 'state'])
    .select((builder) => builder.fn.countAll<string>().as('count'))
    .where('state', 'in', ['pending', 'dead'])
    .groupBy(['endpoint', 'state'])
    .execute()
  const countOf = (endpoint: string, state: DeliveryState): number =>
    Number(counts.find((one) => one.endpoint === endpoint && one.state === state)?.count ?? 0)
  return [...config.webhooks.endpoints.values()].map(({ name, url, events, queues }) => ({
    name,
    origin: new URL(url).origin,
    events,
    queues,
    pending: countOf(name, 'pending'),
    dead: countOf(name, 'dead'),
  }))
}
