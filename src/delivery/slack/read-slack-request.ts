import { sql } from 'kysely'
import { isRequestVouched, type Requests } from '../channels/body-matches-request.ts'
import type { JsonRow } from '#store/json-row.ts'
import type { RequestFacts } from '../channels/channel-event.ts'
import { readNotice, type RequestNotice } from '../channels/request-notice.ts'

/** What a message says about a request; never its arguments. */
export interface SlackRequest extends Omit<RequestFacts, 'run_id'>, RequestNotice {
  readonly worker: string | null
  /** who decided it last; `null` while it waits and when nobody did */
  readonly decided_by: string | null
  readonly decided_at: Date | null
}

/** Reads a request's present state; `null` for none, and for one that was changed by SQL. */
export async function readSlackRequest(
  { db, seals }: Requests,
  requestId: string,
): Promise<SlackRequest | null> {
  const { rows } = await sql<Omit<SlackRequest, keyof RequestNotice> & { readonly row: JsonRow }>`
    select r.id, r.number, r.kind, r.state, r.revision, r.queue, r.risk, r.tool, r.title, r.expires_at,
      r.cancel_reason, r.decided_at, run.worker, to_jsonb(r) as row,
      (select p.name from decision d join person p on p.id = d.person_id
        where d.request_id = r.id and r.state in ('approved', 'denied')
        order by d.at desc, d.id desc limit 1) as decided_by
    from request r left join run on run.id = r.run_id
    where r.id = ${requestId}
  `.execute(db)
  const [first] = rows
  if (first === undefined || !isRequestVouched(seals, first)) return null
  const { row: _, ...request } = first
  return { ...request, ...(await readNotice(db, requestId)) }
}
