import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import { removeExpired } from '#store/remove-expired.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import type { KeyProposal } from './api-key.ts'
import type { NewApiKey } from './insert-api-key.ts'
import { refusePast } from './create-api-key.ts'
import { findActivePerson, lockPerson } from '../find-active-person.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { readPerson } from '../read-person.ts'
import { byRight } from '../../core/authority.ts'

/** How long a proposal can be claimed. */
const waitsMs = 7 * 24 * 3_600_000

/** How many proposals can wait for one person, from all proposers together. */
const maxKeysPerOwner = 20

/**
 * Proposes a key to somebody else, who alone can claim and see it (security.md 38). Takes the right
 * `managePeople`. Rejects with `forbidden`, `not_found`, `rate_limited` when too many proposals
 * wait for that person, or `invalid_request` for an expiry in the past. Audits
 * `credential.changed`.
 */
export async function proposeApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: Pick<NewApiKey, 'name' | 'scopes' | 'expiresAt'> & { readonly ownerEmail: string },
): Promise<KeyProposal> {
  const authority = await byRight(ctx, caller, 'managePeople')
  const owner = await findActivePerson(ctx, input.ownerEmail)
  if (owner === null)
    throw new Problem('not_found', 'The project names no person with this address')
  await refusePast(ctx, input.expiresAt)
  const { id: proposerId, name: proposerName, email } = await readPerson(ctx, authority.actor.id)
  const scopes = [...new Set(input.scopes)]
  return inUnitOfWork(ctx, oneAtATime(authority), async (unit) => {
    const expiresAt = await requireRoom(unit, owner.id)
    const id = newId()
    const row = {
      id,
      name: input.name,
      owner_id: owner.id,
      proposed_by: proposerId,
      scopes,
      key_expires_at: input.expiresAt,
      expires_at: expiresAt,
    }
    const { created_at: createdAt } = await unit.tx
      .insertInto('api_key_proposal')
      .values({ ...row, seal: unit.seals.of('api_key_proposal', row) })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    const detail = { personId: owner.id, change: 'key_proposed', proposalId: id, scopes }
    await unit.audit({ type: 'credential.changed', detail })
    return {
      id,
      name: input.name,
      owner,
      proposedBy: { id: proposerId, name: proposerName, email },
      scopes,
      keyExpiresAt: input.expiresAt,
      createdAt,
      expiresAt,
    }
  })
}

/**
 * Returns until when one more proposal can be claimed. The lock makes concurrent proposals count
 * one after the other.
 */
async function requireRoom(unit: UnitOfWork, ownerId: string): Promise<Date> {
  await lockPerson(unit, ownerId)
  const expiresAt = await removeExpired(unit.tx, 'api_key_proposal', waitsMs)
  const { count } = await unit.tx
    .selectFrom('api_key_proposal')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  if (Number(count) < maxKeysPerOwner) return expiresAt
  throw new Problem(
    'rate_limited',
    `${maxKeysPerOwner} keys already wait for this person, who has to claim or decline them first`,
  )
}
