import type { Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db, Tx } from '#store/database.ts'
import type { PersonTable } from '#store/tables/people.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/**
 * The id of the person with an address, who may be disabled. Rejects with `not_found`, and with
 * `tampered` if the seal of the row does not fit: somebody may have exchanged the addresses of two
 * people, and the change would reach the wrong one (security.md 29).
 */
export async function findByAddress(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  email: string,
): Promise<{ readonly id: string }> {
  return requireSealed(seals, await rowOf(db, email).executeTakeFirst())
}

/** The same, and locks the row until the unit of work ends. */
export async function lockByAddress(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  email: string,
): Promise<{ readonly id: string }> {
  return requireSealed(seals, await rowOf(tx, email).forUpdate().executeTakeFirst())
}

function rowOf(db: Db | Tx, email: string) {
  return db
    .selectFrom('person')
    .select(['id', 'email', 'disabled_at', 'other_ids', 'seal'])
    .where('email', '=', email)
}

type SealedPersonRow = Pick<
  Selectable<PersonTable>,
  'id' | 'email' | 'disabled_at' | 'other_ids' | 'seal'
>

/** Whether the row of a person, who may be disabled, is as the service wrote it. */
export function isSealedPerson(seals: Seals, row: SealedPersonRow): boolean {
  // Disabling a person does not seal the row again.
  const forms = [row, { ...row, disabled_at: null }]
  return forms.some((form) => seals.fits('person', form))
}

function requireSealed(seals: Seals, row: SealedPersonRow | undefined): { readonly id: string } {
  if (row === undefined) throw new Problem('not_found', 'No person has this address')
  if (isSealedPerson(seals, row)) return { id: row.id }
  throw new Problem(
    'tampered',
    'The row of this person was changed in the database, and not by the service. It may belong to somebody else, so nothing was done. Nobody can sign in or decide with it; the audit log shows whose row it was',
    { which: 'person' },
  )
}
