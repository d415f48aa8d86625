import { sql, type RawBuilder } from 'kysely'

/**
 * Of rows of `api_key` those that take a secret now: neither revoked nor expired, and the secret is theirs, or was before
 * a rotation whose overlap lasts. Hashes are compared: how far two of them agree tells nothing about a secret.
 */
export function hasSecret(secretHash: string): RawBuilder<boolean> {
  return sql<boolean>`(
    api_key.revoked_at is null
    and coalesce(api_key.expires_at > clock_timestamp(), true)
    and (api_key.secret_hash = ${secretHash}
      or (api_key.previous_hash = ${secretHash} and api_key.previous_until > clock_timestamp())))`
}
