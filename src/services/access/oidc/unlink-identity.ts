import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { endingId } from '#domain/statements/row-seals.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { lockActivationAlone } from '../../core/locks.ts'
import { inUnitOfWork, type JudgingContext, type UnitOfWork } from '../../core/unit-of-work.ts'
import { syncGroupMembers } from './sync-group-members.ts'
import { byRight } from '../../core/authority.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { isFormer, isNamed } from '../../core/admission.ts'
import { lockByAddress } from '../person-by-address.ts'

/**
 * Removes the accounts at sign-in providers of a person, and the teams that their groups filled:
 * the next account with their verified address becomes theirs. Takes the right `managePeople`.
 * Rejects with `not_found` and `tampered`, and with `conflict` where the next person could be the
 * same human under another address, with requests of the former one to decide. Audits
 * `credential.changed`.
 */
export async function unlinkIdentity(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly email: string },
): Promise<void> {
  const authority = await byRight(ctx, caller, 'managePeople')
  const judge = async (at: JudgingContext) => {
    const judgement = await oneAtATime(authority)(at)
    // As a sign-in does, which locks the account and then its person.
    await lockActivationAlone(at.tx)
    return judgement
  }
  await inUnitOfWork(ctx, judge, async (unit) => {
    const { config } = await ctx.policies.inForce(unit.tx)
    const person = await lockByAddress(unit, input.email)
    const isOneHuman = isNamed(config, input.email) || isFormer(config, input.email)
    if (!isOneHuman) await refuseWhileBehind(unit, person.id)
    const removed = await unit.tx
      .deleteFrom('identity')
      .where('person_id', '=', person.id)
      .returning(['id', 'issuer', 'subject', 'person_id'])
      .execute()
    if (removed.length === 0) {
      throw new Problem('not_found', 'No person with this address signs in at a provider')
    }
    const accountIds = removed.map((account) => endingId('identity', account))
    unit.revoke('identity', accountIds)
    await syncGroupMembers(unit, config, person.id)
    const issuers = removed.map(({ issuer }) => issuer)
    await unit.audit({
      type: 'credential.changed',
      detail: { personId: person.id, change: 'identity_unlinked', issuers, accountIds },
    })
  })
}

/**
 * For an address that the configuration no longer names, not even as an earlier one: the account
 * will belong to another person, who is usually the same human under a new address. That person
 * could decide the requests that the former one is a principal of (product.md 17).
 */
async function refuseWhileBehind({ tx }: UnitOfWork, personId: string): Promise<void> {
  const { rows } = await sql<{ readonly what: string }>`
    (select 'request #' || number as what from request
    where state = 'pending' and exists (
      select 1 from request_principal p where p.request_id = request.id and p.person_id = ${personId})
    order by number limit 20)
    union all
    (select 'run #' || number from run
    where ended_at is null and started_by = ${personId} order by number limit 20)
  `.execute(tx)
  if (rows.length === 0) return
  const open = rows.map(({ what }) => what).join(', ')
  throw new Problem(
    'conflict',
    `countersign.yaml no longer names this address, and its person is behind work that has not ended: ${open}. The next person with this account could decide about that work. First add the address to "formerly" of the person in countersign.yaml, or end this work`,
  )
}
