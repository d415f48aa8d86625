import { sql } from 'kysely'
import { deadlineOfRequest } from '#services/requests/facts/deadline-of-request.ts'
import type { Db } from '#store/database.ts'

/** A run that should continue without a person, and for which nothing was recorded for a while. */
export interface IdleRun {
  readonly id: string
  readonly workflow_id: string
  /** changes whenever something about the run is recorded */
  readonly fact: string
}

/**
 * Runs that wait for nobody and have made no progress for `seconds`, and runs shown as stalled. A
 * run waits for nobody if it is `running`, or if the next step or the expiry of a request is due.
 * It also waits for nobody if a call waits although its request was decided, and no other request
 * of this call or of an earlier call of its turn is pending. Runs with a row in the outbox that is
 * not delivered yet are not among them.
 */
export async function findIdleRuns(
  db: Db,
  limits: { readonly seconds: number; readonly maxRuns: number },
): Promise<IdleRun[]> {
  const before = sql`clock_timestamp() - ${limits.seconds} * interval '1 second'`
  const isStalled = sql`coalesce(run.failure ->> 'code' = 'stalled', false)`
  // Its workflow is signalled when that run ends; one that missed the signal is still here then.
  const waitsForChild = sql`exists (
    select from run as child where child.parent_run_id = run.id and child.ended_at is null
  )`
  const { rows } = await sql<IdleRun>`
    select run.id, run.workflow_id, concat_ws(' ', run.state, run.turn, newest.id) as fact
    from run
    left join lateral (
      select id, at from audit_event where run_id = run.id order by at desc, id desc limit 1
    ) newest on true
    where run.ended_at is null
      and (coalesce(newest.at, run.created_at) < ${before} or ${isStalled})
      and not exists (
        select from outbox
        where outbox.run_id = run.id and delivered_at is null and undeliverable_at is null
      )
      and (
        (run.state = 'running' and not ${waitsForChild}) or ${isStalled}
        or exists (
          select from tool_call
          join request on request.id = tool_call.request_id
          where tool_call.run_id = run.id and tool_call.result_type is null
            and request.state <> 'pending' and not ${waitsForChild}
            and not exists (
              select from request as asked
              where asked.run_id = tool_call.run_id and asked.turn = tool_call.turn
                and asked.position <= tool_call.position and asked.state = 'pending'
            )
        )
        or exists (
          select from request
          where request.run_id = run.id and request.state = 'pending'
            and ${deadlineOfRequest} < ${before}
        )
      )
    order by run.id limit ${limits.maxRuns}
  `.execute(db)
  return rows
}
