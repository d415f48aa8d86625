import { sql, type RawBuilder } from 'kysely'
import { callbackEndpoint } from '../external/tell-program.ts'

/** Of `delivery`: a callback to a program whose key is this person's, revoked or not. */
export function isOwnCallback(personId: string): RawBuilder<boolean> {
  return sql<boolean>`delivery.endpoint = ${callbackEndpoint} and delivery.recipient in (
    select id from api_key where owner_id = ${personId})`
}
