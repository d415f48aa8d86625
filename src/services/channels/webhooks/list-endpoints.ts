import type { DeliveryState } from '#domain/channels/delivery-state.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { configuredEndpoints, type ConfiguredEndpoint } from './configured-endpoints.ts'
import { requireWebhookReader } from './list-deliveries.ts'

export interface EndpointRecord extends ConfiguredEndpoint {
  /** numbers of notifications that wait and that were given up */
  readonly pending: number
  readonly dead: number
  /** the receiver answered `410` and gets no more */
  readonly gone: boolean
}

/** The endpoints in force, by name. Rejects with `forbidden` as `listDeliveries` does. */
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
  const rows = await ctx.db
    .selectFrom('endpoint')
    .select('name')
    .where('gone_address', 'is not', null)
    .execute()
  const goneNames = new Set(rows.map(({ name }) => name))
  const countOf = (endpoint: string, state: DeliveryState): number =>
    Number(counts.find((count) => count.endpoint === endpoint && count.state === state)?.count ?? 0)
  return configuredEndpoints(config).map((endpoint) => ({
    ...endpoint,
    pending: countOf(endpoint.name, 'pending'),
    dead: countOf(endpoint.name, 'dead'),
    gone: goneNames.has(endpoint.name),
  }))
}
