import type { Actor } from '../../domain/actor.ts'
import { Problem } from '../../domain/problem.ts'
import type { Right } from '../../policy/policy.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { rightsOf } from '../requests/rights-of.ts'

/** Whether a person has a right now, by the policy in force. No machine, timer or policy has rights of people. */
export async function hasRight(ctx: ServiceContext, actor: Actor, right: Right): Promise<boolean> {
  return actor.type === 'person' && (await rightsOf(ctx, actor.id)).has(right)
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
