import type { Actor } from '#domain/actor.ts'
import { Problem } from '#domain/problem.ts'
import { type Holder, type Right, rightNames } from '#policy/project-config.ts'
import type { Policy } from '#policy/policy.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Tx } from '#store/database.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { ServiceContext } from './context.ts'
import { lockRights } from './locks.ts'

/**
 * Whether a person has a right now, by the policy in force. Machines, timers and policies never
 * have one.
 */
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

/**
 * The rights that a person has now by the signed policy in force; a disabled or unknown person has
 * none.
 */
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

/**
 * The rights by the address of a person; `null`: the person is disabled or unknown, and has none.
 */
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

/** A right by which somebody acts: their own, or that of the owner of their key. */
export interface HeldRight {
  readonly personId: string
  readonly right: Right
}

export function needsRight(right: Right): Problem {
  return new Problem('forbidden', `This needs the right ${right} (rights in countersign.yaml)`)
}

/**
 * Whether a right is held still, in the transaction that records what is done by it. Until the
 * commit no other policy version can take force, and the person cannot be disabled.
 */
export async function isStillHeld(
  { policies }: Pick<ServiceContext, 'policies'>,
  { tx, seals }: { readonly tx: Tx; readonly seals: Seals },
  { personId, right }: HeldRight,
): Promise<boolean> {
  const [[person], { config }] = await together([lockRights(tx, [personId]), policies.inForce(tx)])
  const isActive = person?.disabled_at === null && seals.holds('person', person)
  return rightsIn(config, isActive ? person.email : null).has(right)
}

/** Whether somebody who is not disabled has a right by the policy in force, beside one person. */
export async function isHeldByAnother(
  ctx: Pick<ServiceContext, 'db' | 'policies'>,
  right: Right,
  besides: { readonly email: string },
): Promise<boolean> {
  const { config } = await ctx.policies.inForce()
  const people = await ctx.db
    .selectFrom('person')
    .select('email')
    .where('disabled_at', 'is', null)
    .where('email', '<>', besides.email)
    .execute()
  return people.some(({ email }) => config.rights[right].some((one) => holds(config, one, email)))
}

function holds(config: Policy['config'], holder: Holder, email: string): boolean {
  if ('person' in holder) return holder.person === email
  return config.teams.get(holder.team)?.members.includes(email) ?? false
}
