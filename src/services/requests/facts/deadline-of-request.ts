import { sql } from 'kysely'

/** When a pending request next needs action: its next step, or its expiry (`least` skips nulls). */
export const deadlineOfRequest = sql<Date>`least(request.expires_at, request.next_step_at)`
