import { sql } from 'kysely'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db, Tx } from '#store/database.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { personRows, verifyPerson, type PersonRows } from '../../core/verified-person.ts'

/** A person who is not disabled, and whether they are a member of one of the teams now. */
type Member = PersonRef & { readonly isMember: boolean }

/**
 * A person, and whether they are a member of one of the teams now, by the configuration or by a
 * group; `null`: they are disabled or unknown.
 */
export async function findMember(
  { db, seals }: { readonly db: Db | Tx; readonly seals: Seals },
  personId: string,
  teams: readonly string[],
): Promise<Member | null> {
  return memberOf(seals, await readPersonRows(db, personId), teams)
}

/** The rows of a person, for {@link memberOf}; `null`: they are unknown. */
export async function readPersonRows(db: Db | Tx, personId: string): Promise<PersonRows | null> {
  const { rows } = await sql<{ found: PersonRows }>`
    select ${personRows} as found from person where id = ${personId}
  `.execute(db)
  return rows[0]?.found ?? null
}

/**
 * The same from rows. Rows without a valid seal do not count: who may start a worker may use
 * everything that the worker may do without a request (security.md 29).
 */
export function memberOf(
  seals: Seals,
  rows: PersonRows | null,
  teams: readonly string[],
): Member | null {
  const person = rows === null ? null : verifyPerson(seals, rows)
  if (person === null || !person.enabled) return null
  const isMember = person.teams.some((team) => teams.includes(team))
  return { id: person.id, name: person.name, isMember }
}
