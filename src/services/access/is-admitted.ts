import { sql } from 'kysely'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { Db, Tx } from '#store/database.ts'
import { isFormer, isNamed, versionToAdmitBy } from '../core/admission.ts'
import type { ServiceContext } from '../core/context.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { personRows, verifyPerson, type PersonRows } from '../core/verified-person.ts'

/** Whether a configuration admits a person (`admits`), by memberships whose seals hold. */
export async function isAdmitted(
  { db, seals }: { readonly db: Db | Tx; readonly seals: Seals },
  config: ProjectConfig,
  person: { readonly id: string; readonly email: string },
): Promise<boolean> {
  if (isNamed(config, person.email) || isFormer(config, person.email)) return true
  const { rows } = await sql<{ found: PersonRows }>`
    select ${personRows} as found from person where id = ${person.id}
  `.execute(db)
  return rows.some(({ found: memberships }) => verifyPerson(seals, memberships).teams.length > 0)
}

/**
 * The same for somebody who was admitted before. While no version can be trusted, the last one that
 * this process trusted applies; a process that has trusted none yet lets them stay.
 */
export async function isStillAdmitted(
  ctx: Pick<ServiceContext, 'db' | 'seals' | 'policies'>,
  person: { readonly id: string; readonly email: string },
): Promise<boolean> {
  const policy = await versionToAdmitBy(ctx.policies)
  return policy === null || isAdmitted(ctx, policy.config, person)
}

/** The same by the version in force, as a transaction finds it. */
export async function isAdmittedNow(
  { policies }: Pick<ServiceContext, 'policies'>,
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  person: { readonly id: string; readonly email: string },
): Promise<boolean> {
  const { config } = await policies.inForce(tx)
  return isAdmitted({ db: tx, seals }, config, person)
}
