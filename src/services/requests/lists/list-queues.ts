import { sql } from 'kysely'
import type { QueueView } from '#api/schemas/requests/queues.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { pageByName, type Page, type PageInput } from '../../core/pages.ts'
import { endOfSnooze, isPending, mayDecideNow, waitsForCaller } from './waits-for-caller.ts'
import { viewerOf } from '../people/viewer.ts'
import { countedRequestVisibleTo } from '../people/visible-to.ts'
import type { RecordOf } from '../../core/record-of.ts'

export type QueueRecord = RecordOf<QueueView>

type Counts = Omit<QueueRecord, 'name' | 'team' | 'nextReturnAt'> & {
  readonly queue: string
  readonly team: string
}

/**
 * The queues of the policy in force and those with remaining requests, with counts of what the
 * caller may see.
 */
export async function listQueues(
  ctx: ServiceContext,
  caller: Caller,
  page: PageInput,
): Promise<Page<QueueRecord>> {
  const viewer = await viewerOf(ctx, caller)
  const { rows } = await sql<Counts>`
    select queue, max(team) as team, count(*)::int as pending, min(created_at) as "oldestAt",
      count(*) filter (where expires_at <= clock_timestamp() + interval '4 hours')::int as "expiringSoon",
      count(*) filter (where ${waitsForCaller(caller)})::int as mine
    from request
    where ${isPending} and ${countedRequestVisibleTo(viewer)}
    group by queue
  `.execute(ctx.db)
  const returns = await readReturns(ctx, caller)
  const counts = new Map(rows.map((row) => [row.queue, row]))
  const { config } = await ctx.policies.inForce()
  const teams = new Map(rows.map((row) => [row.queue, row.team]))
  for (const queue of config.queues.values()) teams.set(queue.name, queue.team)
  const queues = [...teams].map(([name, team]) => {
    const { pending = 0, oldestAt = null, expiringSoon = 0, mine = 0 } = counts.get(name) ?? {}
    const nextReturnAt = returns.get(name) ?? null
    return { name, team, pending, oldestAt, expiringSoon, mine, nextReturnAt }
  })
  return pageByName(queues, page, 'queues')
}

/** When the first snoozed request of each queue counts as the caller's again. */
async function readReturns(
  ctx: ServiceContext,
  caller: Caller,
): Promise<ReadonlyMap<string, Date>> {
  if (caller.actor.type !== 'person') return new Map()
  const { rows } = await sql<{ queue: string; at: Date }>`
    select request.queue, min(${endOfSnooze}) as at
    from request_snooze join request on request.id = request_snooze.request_id
    where request_snooze.person_id = ${caller.actor.id} and request_snooze.until > clock_timestamp()
      and ${isPending} and ${endOfSnooze} > clock_timestamp() and ${mayDecideNow(caller)}
    group by request.queue
  `.execute(ctx.db)
  return new Map(rows.map(({ queue, at }) => [queue, at]))
}
