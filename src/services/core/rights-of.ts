import { sql } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import { Problem } from '#domain/problem.ts'
import { type Holder, type Right, rightNames } from '#policy/project-config.ts'
import type { Policy } from '#policy/policy.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Tx } from '#store/database.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { ServiceContext } from './context.ts'
import { admits, cannotSignIn, versionToAdmitBy } from './admission.ts'
import { lockPersonShared, lockRights, type LockedPerson } from './locks.ts'
import { personRows, verifyPerson, type VerifiedPerson } from './verified-person.ts'

/** Whether a person has a right by the policy in force. Others never have one. */
export async function hasRight(ctx: ServiceContext, actor: Actor, right: Right): Promise<boolean> {
  return actor.type === 'person' && (await rightsOf(ctx, actor.id)).has(right)
}

/**
 * Whether a person has a right now, or who owns the key that acts: a scope gives a key no more than
 * its owner may do.
 */
export async function actsByRight(
  ctx: ServiceContext,
  actor: Actor,
  right: Right,
): Promise<boolean> {
  if (actor.type !== 'machine') return hasRight(ctx, actor, right)
  return (await rightsOf(ctx, actor.ownerId)).has(right)
}

/** A person's rights by the signed policy in force; none if disabled or unknown. */
export async function rightsOf(
  ctx: Pick<ServiceContext, 'db' | 'policies' | 'seals'>,
  personId: string,
): Promise<ReadonlySet<Right>> {
  const person = await ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'disabled_at', 'other_ids', 'seal'])
    .where('id', '=', personId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  const isKnown = ctx.seals.holds('person', person)
  return rightsOfEmail(ctx, isKnown ? (person?.email ?? null) : null)
}

/** The rights of an address; `null`: its person is disabled or unknown. */
export async function rightsOfEmail(
  ctx: Pick<ServiceContext, 'policies'>,
  email: string | null,
): Promise<ReadonlySet<Right>> {
  if (email === null) return new Set()
  return rightsIn((await ctx.policies.inForce()).config, email)
}

/** The rights of an address by a policy; `null`, of nobody, has none. */
export function rightsIn(config: Policy['config'], email: string | null): ReadonlySet<Right> {
  if (email === null) return new Set()
  return new Set(
    rightNames.filter((right) =>
      config.rights[right].some((holder) => holds(config, holder, email)),
    ),
  )
}

/** What an authority rests on. A unit of work judges it again, since it may end at any time. */
export interface Basis {
  /** who acts, or owns the key that acts */
  readonly personId: string
  readonly keyId: string | null
  /** `null`: they act on what is their own */
  readonly right: Right | null
}

export function needsRight(right: Right): Problem {
  return new Problem('forbidden', `This needs the right ${right} (rights in countersign.yaml)`)
}

interface BasisReader {
  readonly tx: Tx
  readonly seals: Seals
}

/**
 * Why the basis of an authority is no longer valid, in the transaction that records the act;
 * `null`: it is valid. Until the commit a person who acts cannot be disabled, and where they act by
 * a right, no other policy version can take force. `forbidden`: the right has ended;
 * `unauthenticated`: the person was disabled or is no longer admitted, or the key has ended. A
 * right is given only to people whom the version names, so it needs no second judgement.
 */
export async function endOfBasis(
  ctx: Pick<ServiceContext, 'policies'>,
  at: BasisReader,
  { personId, keyId, right }: Basis,
): Promise<Problem | null> {
  const key = keyId === null ? null : { id: keyId, ownerId: personId }
  if (right !== null) {
    if (!(await stillHasRight(ctx, at, personId, right))) return needsRight(right)
    return key === null ? null : endOfKey(at, key)
  }
  const [person, version] = await together([
    key === null ? lockActor(at, personId) : ownerOfLive(at, key),
    versionToAdmitBy(ctx.policies, at.tx),
  ])
  if (person === null && key !== null) return keyHasEnded()
  const isAdmitted =
    person?.enabled === true && (version === null || admits(version.config, person))
  return isAdmitted ? null : cannotSignIn({ byKey: key !== null })
}

/** A person who acts, whose row is locked until the commit; `null`: unknown. */
async function lockActor(
  { tx, seals }: BasisReader,
  personId: string,
): Promise<VerifiedPerson | null> {
  const rows = await lockPersonShared(tx, personId)
  return rows === undefined ? null : verifyPerson(seals, rows)
}

async function stillHasRight(
  { policies }: Pick<ServiceContext, 'policies'>,
  { tx, seals }: BasisReader,
  personId: string,
  right: Right,
): Promise<boolean> {
  const [[person], { config }] = await together([lockRights(tx, [personId]), policies.inForce(tx)])
  return rightsIn(config, isActive(seals, person) ? person.email : null).has(right)
}

/** Whether a person's row holds, and the person is not disabled. */
function isActive(seals: Seals, person: LockedPerson | undefined): person is LockedPerson {
  return person?.disabled_at === null && seals.holds('person', person)
}

/** A key, and its owner as the caller knows them from a row whose seal was checked. */
interface OwnedKey {
  readonly id: string
  readonly ownerId: string
}

async function endOfKey(at: BasisReader, key: OwnedKey): Promise<Problem | null> {
  return (await isKeyLive(at, key)) ? null : keyHasEnded()
}

function keyHasEnded(): Problem {
  return new Problem('unauthenticated', 'This API key has ended since the call began')
}

/**
 * For a unit that has waited for a lock since its basis was judged. Rejects with `unauthenticated`
 * where the key has ended by now.
 */
export async function requireLiveKey(at: BasisReader, key: OwnedKey): Promise<void> {
  const end = await endOfKey(at, key)
  if (end !== null) throw end
}

/**
 * Whether a key is neither revoked nor expired, and its owner neither revoked nor disabled. Its
 * seal must be valid, so that a row that was written by SQL determines neither its end nor its
 * owner (security.md 29).
 */
export async function isKeyLive(at: BasisReader, key: OwnedKey): Promise<boolean> {
  return (await ownerOfLive(at, key)) !== null
}

/** The owner of such a key; `null`: it has ended. */
async function ownerOfLive(
  { tx, seals }: BasisReader,
  { id, ownerId }: OwnedKey,
): Promise<VerifiedPerson | null> {
  const row = await tx
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .selectAll('api_key')
    .select(personRows.as('owner'))
    .where('api_key.id', '=', id)
    .where('api_key.owner_id', '=', ownerId)
    .where('api_key.revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(api_key.expires_at > clock_timestamp(), true)`)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
  const { owner, ...key } = row
  // A revocation outside the database counts whatever the rows say.
  const hasEnded = seals.revocations.has({ what: 'person', id: ownerId })
  return hasEnded || !seals.holds('api_key', key) ? null : verifyPerson(seals, owner)
}

/** Whether somebody who can sign in has a right by the policy in force, beside one person. */
export async function isHeldByAnother(
  ctx: Pick<ServiceContext, 'db' | 'policies' | 'seals'>,
  right: Right,
  besides: { readonly email: string },
): Promise<boolean> {
  const { config } = await ctx.policies.inForce()
  const people = await ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'disabled_at', 'other_ids', 'seal'])
    .where('disabled_at', 'is', null)
    .where('email', '<>', besides.email)
    .execute()
  return people.some(
    (person) => rightsIn(config, person.email).has(right) && ctx.seals.holds('person', person),
  )
}

function holds(config: Policy['config'], holder: Holder, email: string): boolean {
  if ('person' in holder) return holder.person === email
  return config.teams.get(holder.team)?.members.includes(email) ?? false
}
