import type { Actor } from '../../domain/actor.ts'
import { Problem } from '../../domain/problem.ts'
import { rightNames, type ProjectConfig, type Right } from '../../policy/policy.ts'
import type { Caller, ServiceContext } from '../context.ts'

/** The rights that a configuration gives a person, by name or by team (workers-and-policy.md). */
export function rightsOf(config: ProjectConfig, email: string): Right[] {
  return rightNames.filter((right) =>
    config.rights[right].some((holder) =>
      'person' in holder
        ? holder.person === email
        : config.teams.get(holder.team)?.members.includes(email) === true,
    ),
  )
}

/** Whether a person has a right now, by the policy in force. No machine, timer or policy has rights of people. */
export async function hasRight(ctx: ServiceContext, actor: Actor, right: Right): Promise<boolean> {
  if (actor.type !== 'person') return false
  const person = await ctx.db
    .selectFrom('person')
    .select('email')
    .where('id', '=', actor.id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) return false
  const { config } = await ctx.policies.inForce()
  return rightsOf(config, person.email).includes(right)
}

/** Rejects with `forbidden`, naming the right, unless the caller is a person who has it. */
export async function requireRight(
  ctx: ServiceContext,
  caller: Caller,
  right: Right,
): Promise<void> {
  if (await hasRight(ctx, caller.actor, right)) return
  throw new Problem('forbidden', `This takes the right ${right} (rights in countersign.yaml)`)
}

/** The person who acts, or for whom a machine acts. Rejects with `forbidden` for anything else. */
export function personOf(actor: Actor): string {
  if (actor.type === 'person') return actor.id
  if (actor.type === 'machine') return actor.ownerId
  throw new Problem('forbidden', 'Only a person or a key can do this')
}
