import type { ServiceContext } from '../core/context.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { isAdmitted } from './is-admitted.ts'

/** A person as their account names them. */
export interface ActivePerson {
  readonly id: string
  readonly email: string
  readonly name: string
}

/**
 * The person with an address, in any case of letters; null: none, disabled, or no longer a person
 * of the project.
 */
export async function findActivePerson(
  ctx: ServiceContext,
  email: string,
): Promise<ActivePerson | null> {
  const row = await ctx.db
    .selectFrom('person')
    .selectAll()
    .where('email', '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || !ctx.seals.holds('person', row)) return null
  const { config } = await ctx.policies.inForce()
  if (!(await isAdmitted(ctx, config, row))) return null
  return { id: row.id, email: row.email, name: row.name }
}

/**
 * The person with an id, whether or not the project still names them; null: none, disabled, or
 * their seal does not hold.
 */
export async function readEnabledPerson(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  id: string,
): Promise<ActivePerson | null> {
  const row = await tx
    .selectFrom('person')
    .selectAll()
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || !seals.holds('person', row)) return null
  return { id: row.id, email: row.email, name: row.name }
}

/**
 * Locks a person's row, so that units of work that count what belongs to the person run one after
 * the other. A unit by the person's own authority calls it in `judge`, before the unit locks the
 * row for that authority with a weaker lock: two units that strengthened that lock would deadlock.
 */
export async function lockPerson({ tx }: Pick<UnitOfWork, 'tx'>, personId: string): Promise<void> {
  await tx.selectFrom('person').select('id').where('id', '=', personId).forNoKeyUpdate().execute()
}
