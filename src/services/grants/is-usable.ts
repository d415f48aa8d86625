import { sql } from 'kysely'

/** Whether a row of `approval_grant` is live and has a use left. */
export const isUsable = sql<boolean>`revoked_at is null and ended_at is null
  and (uses_allowed is null or uses < uses_allowed)
  and (expires_at is null or expires_at > clock_timestamp())`
