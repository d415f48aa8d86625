import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import type { RequestFacts } from '../channels/channel-event.ts'
import { readNotice, type RequestNotice } from '../channels/request-notice.ts'

/** What a message says about a request; never its arguments. */
export interface SlackRequest extends Omit<RequestFacts, 'run_id'>, RequestNotice {
  readonly worker: string | null
  readonly cancel_reason: string | null
  /** who decided it last; `null` while it waits and when nobody did */
  readonly decided_by: string | null
  readonly decided_at: Date | null
}

/** Reads a request's present state; `null` when it does not exist. */
export async function readSlackRequest(db: Db, requestId: string): Promise<SlackRequest | null> {
  const { rows } = await sql<Omit<SlackRequest, keyof RequestNotice>>`
    select r.id, r.number, r.kind, r.state, r.revision, r.queue, r.risk, r.tool, r.title, r.expires_at,
      r.cancel_reason, r.decided_at, run.worker,
      (select p.name from decision d join person p on p.id = d.person_id
        where d.request_id = r.id and r.state in ('approved', 'denied')
        order by d.at desc, d.id desc limit 1) as decided_by
    from request r left join run on run.id = r.run_id
    where r.id = ${requestId}
  `.execute(db)
  const [row] = rows
  return row === undefined ? null : { ...row, ...(await readNotice(db, requestId)) }
}
