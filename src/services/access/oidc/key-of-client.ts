import { hashJson } from '#domain/json/digest.ts'
import { Problem } from '#domain/problem.ts'
import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import { bySelf } from '../../core/authority.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { gatewayScopes, noSecretOf } from '../api-keys/api-key.ts'
import { readKey, type KeyIdentity } from '../api-keys/read-api-key.ts'
import type { ActivePerson } from '../find-active-person.ts'

/** A client of the sign-in provider and the person who let it act for them. */
export interface ProviderClient {
  readonly issuer: string
  readonly client: string
  readonly person: ActivePerson
}

/**
 * The key that represents a client: one for each person, issuer and client, made at its first valid
 * token. It has no secret, may use the MCP gateway only, and ends for good when it is revoked.
 * Audits `key.created`.
 */
export async function keyOfClient(
  ctx: ServiceContext,
  { issuer, client, person }: ProviderClient,
): Promise<KeyIdentity | SignInRefusal> {
  const id = hashJson({ issuer, client, ownerId: person.id }).slice(7, 23)
  const secretHash = noSecretOf(id)
  // The person was found by the version in force right before this (`personOfToken`).
  const reading = { cache: null, isOwnerAdmitted: true }
  const existing = await readKey(ctx, { id, secretHash }, reading)
  if (existing !== null) return existing
  const { name } = person
  const caller = { actor: { type: 'person', id: person.id, name }, channel: 'api' } as const
  const attempt = inUnitOfWork(ctx, bySelf(caller, ''), async (unit) => {
    const row = {
      id,
      name: `${client} (OAuth)`,
      owner_id: person.id,
      secret_hash: secretHash,
      scopes: [...gatewayScopes],
      expires_at: null,
      proposed_by: null,
    }
    const insertion = await unit.tx
      .insertInto('api_key')
      .values({ ...row, seal: unit.seals.of('api_key', row) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (insertion === undefined) return false
    const { scopes } = row
    const detail = { keyId: id, ownerId: person.id, scopes, client, issuer }
    await unit.audit({ type: 'key.created', detail })
    return true
  })
  const isMade = await attempt.catch((error: unknown) => {
    // The person was disabled, or the project stopped admitting them, since the token was judged.
    if (error instanceof Problem && error.code === 'unauthenticated') return null
    throw error
  })
  if (isMade === null) return 'disabled'
  const key = await readKey(ctx, { id, secretHash }, reading)
  if (key === null && isMade) return 'disabled'
  return key ?? 'client_revoked'
}
