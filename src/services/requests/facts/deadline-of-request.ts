import { sql } from 'kysely'

/** When a pending request next needs action: its next step, or its expiry (`least` skips nulls). */
export const deadlineOfRequest = sql<Date>`least(request.expires_at, request.next_step_at)`

/** Milliseconds until then, at least 0; `null` after the request has ended. */
export const remainingMs = sql<number | null>`case when request.state = 'pending'
  then greatest(0, ceil(extract(epoch from ${deadlineOfRequest} - clock_timestamp()) * 1000))::float8 end`
