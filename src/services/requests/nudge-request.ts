import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { byOwner } from '../core/authority.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { lockRequest } from '../core/locks.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { aboutRequest } from './ending/end-request.ts'
import { refuseEnded } from './ending/refuse-ended.ts'
import { isAway } from './people/away.ts'
import { findRequest } from './people/find-request.ts'
import { viewerOf } from './people/viewer.ts'
import { isDecider } from './people/who-decides.ts'

/** Minutes between two nudges of a request. */
const betweenMinutes = 60

/**
 * Reminds the people who may decide a pending request that somebody waits for it, once an hour.
 * Returns how many are notified; 0: nobody who can still decide it is here, and the nudge does not
 * count for the hour. Rejects with `forbidden` unless the caller started the run or one above it,
 * owns the key with which a program asked, or is the person for whom it asked, and with
 * `rate_limited` within the hour.
 */
export async function nudgeRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<{ readonly told: number }> {
  const { id } = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  const authority = byOwner(
    caller,
    await startersOf(ctx, id),
    new Problem(
      'forbidden',
      "Only people who wait for it may nudge: the starter of its run, or the owner of the program's key and the person for whom the program asks",
    ),
  )
  return inUnitOfWork(ctx, authority, async (unit) => {
    const { tx } = unit
    const request = await lockRequest(tx, id)
    const refusal = await refuseEnded(tx, request)
    if (refusal !== null) throw refusal
    const { rows } = await sql<{ waitSeconds: number | null; told: number }>`
      select (select ceil(extract(epoch from
            at + ${betweenMinutes} * interval '1 minute' - clock_timestamp()))::int
          from request_nudge where request_id = request.id) as "waitSeconds",
        (select count(*)::int from person p where p.disabled_at is null and not ${isAway('p')}
          and ${isDecider('request', 'p')}
          and not exists (select 1 from decision d where d.request_id = request.id
            and d.revision = request.revision and d.person_id = p.id)) as told
      from request where request.id = ${id}
    `.execute(tx)
    const { waitSeconds = null, told: recipients = 0 } = rows[0] ?? {}
    if (waitSeconds !== null && waitSeconds > 0) {
      const minutes = Math.ceil(waitSeconds / 60)
      throw new Problem(
        'rate_limited',
        `They were nudged within the last hour: you can nudge them again in ${minutes} min`,
        { retryAfterSeconds: waitSeconds },
      )
    }
    if (recipients === 0) return { told: 0 }
    await sql`
      insert into request_nudge (request_id, by_id) values (${id}, ${personOf(caller)})
      on conflict (request_id) do update set by_id = excluded.by_id, at = clock_timestamp()
    `.execute(tx)
    await unit.audit({
      type: 'request.nudged',
      ...aboutRequest(request),
      detail: { told: recipients },
    })
    await unit.event('request.reminded', { requestId: id, runId: request.run_id })
    return { told: recipients }
  })
}

function personOf({ actor }: Caller): string {
  if (actor.type === 'person') return actor.id
  throw new Problem('forbidden', 'Only people can nudge')
}

/**
 * The starters of its run and those above it, or the owner of the key with which a program asked
 * and the person for whom it asked.
 */
async function startersOf(ctx: ServiceContext, requestId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select above.started_by as id from request
    join run_lineage l on l.run_id = request.run_id join run above on above.id = l.ancestor_id
    where request.id = ${requestId}
    union select unnest(array[owner_id, on_behalf_of]) from external_request
    where request_id = ${requestId}
  `.execute(ctx.db)
  return rows.flatMap(({ id }) => id ?? [])
}
