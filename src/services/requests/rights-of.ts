import type { Holder, Policy, Right } from '../../policy/policy.ts'
import { rightNames } from '../../policy/policy.ts'
import type { ServiceContext } from '../context.ts'

/** The rights a person holds now, from the signed policy in force; a disabled or unknown person holds none. */
export async function rightsOf(
  ctx: Pick<ServiceContext, 'db' | 'policies'>,
  personId: string,
): Promise<ReadonlySet<Right>> {
  const person = await ctx.db
    .selectFrom('person')
    .select('email')
    .where('id', '=', personId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return rightsOfEmail(ctx, person?.email ?? null)
}

/** The same for who has been looked up already; `null`: disabled or unknown. */
export async function rightsOfEmail(
  ctx: Pick<ServiceContext, 'policies'>,
  email: string | null,
): Promise<ReadonlySet<Right>> {
  if (email === null) return new Set()
  const { config } = await ctx.policies.inForce()
  return new Set(
    rightNames.filter((right) =>
      config.rights[right].some((holder) => holds(config, holder, email)),
    ),
  )
}

function holds(config: Policy['config'], holder: Holder, email: string): boolean {
  if ('person' in holder) return holder.person === email
  return config.teams.get(holder.team)?.members.includes(email) ?? false
}
