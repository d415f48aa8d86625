import { sql } from 'kysely'

/**
 * The next moment at which a pending request needs to be looked at: its next step, or its expiry
 * (`least` skips nulls).
 */
export const deadlineOfRequest = sql<Date>`least(request.expires_at, request.next_step_at)`
