import { sql } from 'kysely'
import type { Revocation } from '#domain/statements/row-seals.ts'
import type { ServiceContext } from '../../core/context.ts'
import { isStillAdmitted } from '../is-admitted.ts'
import { parseApiKey } from './read-api-key.ts'

/**
 * Why a key was refused, with its id and its owner. `unknown`: the caller has the secret of no key,
 * so the trail names none.
 */
export type KeyRefusal =
  | { readonly why: 'unknown' }
  | {
      readonly why:
        | 'tampered'
        | 'revoked'
        | 'expired'
        | 'replaced'
        | 'owner_disabled'
        | 'owner_not_admitted'
        | 'not_valid'
      readonly id: string
      readonly personId: string
    }

/**
 * Reads why `readApiKey` found no valid key, for the trail only: the caller learns nothing of it.
 * `not_valid`: it has become valid since.
 */
export async function whyKeyIsRefused(ctx: ServiceContext, key: string): Promise<KeyRefusal> {
  const secret = parseApiKey(key)
  if (secret === null) return { why: 'unknown' }
  const { id, secretHash } = secret
  const row = await ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .selectAll('api_key')
    .select(['person.email', 'person.disabled_at'])
    .select(['person.other_ids', 'person.seal as person_seal'])
    .select(sql<boolean>`coalesce(api_key.expires_at <= clock_timestamp(), false)`.as('is_over'))
    .select(
      sql<boolean>`api_key.secret_hash <> ${secretHash}
        and coalesce(api_key.previous_until <= clock_timestamp(), true)`.as('is_replaced'),
    )
    .where('api_key.id', '=', id)
    .where(sql<boolean>`${secretHash} in (api_key.secret_hash, api_key.previous_hash)`)
    .executeTakeFirst()
  if (row === undefined) return { why: 'unknown' }
  const { owner_id: personId, email, disabled_at, other_ids } = row
  const because = (why: Exclude<KeyRefusal['why'], 'unknown'>) => ({ why, id, personId })
  const { seals } = ctx
  const hasEnded = (revocation: Revocation): boolean => seals.revocations.has(revocation)
  const person = { id: personId, email, disabled_at, other_ids, seal: row.person_seal }
  // First: what has ended is not sealed again when a signing key is retired.
  if (row.revoked_at !== null || hasEnded({ what: 'api_key', id })) return because('revoked')
  if (hasEnded({ what: 'person', id: personId })) return because('owner_disabled')
  if (!seals.fits('api_key', row) || !seals.fits('person', person)) return because('tampered')
  if (row.is_over) return because('expired')
  if (row.is_replaced || hasEnded({ what: 'key_secret', id: secretHash })) {
    return because('replaced')
  }
  if (disabled_at !== null) return because('owner_disabled')
  if (!(await isStillAdmitted(ctx, { id: personId, email }))) return because('owner_not_admitted')
  return because('not_valid')
}
