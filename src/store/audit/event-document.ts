import { sql } from 'kysely'

/**
 * The document of an `audit_event` in scope as `jsonb`. Null for an event that SQL added with text
 * that is no JSON object: reading it must not fail.
 */
export const eventDocument = sql`case when document is json object then document::jsonb end`
