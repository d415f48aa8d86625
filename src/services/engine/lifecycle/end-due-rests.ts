import { sql } from 'kysely'
import type { SystemContext } from '../../core/context.ts'
import { endRest } from './close-run.ts'

const restsAtOnce = 200

/**
 * Ends conversations whose rest has been over for `lateSeconds`, even without their workflows; each
 * row is judged again under its lock. Returns the ids of those that it ended.
 */
export async function endDueRests(
  ctx: SystemContext,
  limits: { readonly lateSeconds: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from run
    where rests_until is not null and ended_at is null
      and rests_until < clock_timestamp() - ${limits.lateSeconds} * interval '1 second'
    order by rests_until limit ${restsAtOnce}
  `.execute(ctx.db)
  const endedIds: string[] = []
  for (const { id } of rows) {
    const closed = await endRest(ctx, { runId: id })
    if (closed.kind === 'closed') endedIds.push(id)
  }
  return endedIds
}
