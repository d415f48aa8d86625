import type { ActivePerson } from './find-active-person.ts'
import { sql } from 'kysely'
import type { SealableRow, Seals } from '#domain/statements/row-seals.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/** The row of a person who is not disabled, for the insert. */
export function sealedPerson(seals: Seals, { id, email, name }: ActivePerson) {
  const row = { id, email, disabled_at: null }
  return { ...row, name, seal: seals.of('person', row) }
}

/** A membership's row; `until` is `null` where the configuration names the person. */
export function sealedMembership(
  seals: Seals,
  row: {
    readonly team: string
    readonly person_id: string
    readonly until: Date | null
    readonly id: string
  },
) {
  return { ...row, seal: seals.of('membership', row) }
}

/**
 * Seals a row that was just inserted, found by the hash of its token. The seal is written after the
 * row because it covers columns that the database fills.
 */
export async function sealInserted(
  { tx, seals }: UnitOfWork,
  table: 'session' | 'sign_in_link',
  row: SealableRow & { readonly token_hash: string },
): Promise<void> {
  await sql`
    update ${sql.table(table)} set seal = ${seals.of(table, row)}
    where token_hash = ${row.token_hash}
  `.execute(tx)
}
