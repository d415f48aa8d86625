import { sql, type Selectable } from 'kysely'
import type { CredentialView } from '#api/schemas/access/credentials.ts'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { CredentialTable } from '#store/tables/people.ts'
import { readPublicKey } from './public-key.ts'
import type { RecordOf } from '../core/record-of.ts'

/** A passkey for its owner, and for those who may confirm it. */
export type CredentialRecord = RecordOf<CredentialView>

/** Locks a credential that is in use, of a person who is not disabled. Rejects with `not_found`. */
export async function lockCredential(tx: Tx, id: string): Promise<Selectable<CredentialTable>> {
  const credential = await tx
    .selectFrom('credential')
    .innerJoin('person', 'person.id', 'credential.person_id')
    .selectAll('credential')
    .where('credential.id', '=', id)
    .where('credential.removed_at', 'is', null)
    .where('person.disabled_at', 'is', null)
    .forUpdate('credential')
    .executeTakeFirst()
  if (credential === undefined) throw noCredential()
  return credential
}

/** The same answer for a missing credential and for a hidden one (security.md 22). */
export function noCredential(): Problem {
  return new Problem('not_found', 'There is no such passkey')
}

/** Reads a credential that this transaction has just written. */
export async function readCredential(tx: Tx, id: string): Promise<CredentialRecord> {
  const row = await tx
    .selectFrom('credential')
    .innerJoin('person', 'person.id', 'credential.person_id')
    .leftJoin('person as confirmer', 'confirmer.id', 'credential.confirmed_by')
    .select(credentialColumns)
    .where('credential.id', '=', id)
    .executeTakeFirstOrThrow()
  return recordOf(row)
}

/** The columns of `credential`, `person` and the `confirmer` for {@link recordOf}. */
export const credentialColumns = [
  'credential.id',
  'credential.name',
  'credential.public_key',
  'credential.synced',
  'credential.registered_at',
  'credential.last_used_at',
  'credential.confirmed_at',
  'person.id as owner_id',
  'person.name as owner_name',
  'person.email as owner_email',
  'confirmer.id as confirmer_id',
  'confirmer.name as confirmer_name',
] as const

interface Row extends Pick<
  Selectable<CredentialTable>,
  'id' | 'name' | 'public_key' | 'synced' | 'registered_at' | 'last_used_at' | 'confirmed_at'
> {
  readonly owner_id: string
  readonly owner_name: string
  readonly owner_email: string
  readonly confirmer_id: string | null
  readonly confirmer_name: string | null
}

/** The record of a row of `credentials`, with the hash of the public key in its place. */
export async function recordOf(row: Row): Promise<CredentialRecord> {
  const { confirmer_id: id, confirmer_name: name, confirmed_at: at } = row
  return {
    id: row.id,
    name: row.name,
    person: { id: row.owner_id, name: row.owner_name, email: row.owner_email },
    publicKeyHash: (await readPublicKey(row.public_key)).hash,
    synced: row.synced,
    registeredAt: row.registered_at,
    lastUsedAt: row.last_used_at,
    confirmed: id === null || name === null || at === null ? null : { by: { id, name }, at },
  }
}

/** How many passkeys one person may have. */
export const maxCredentials = 20

/** How many of a person's are in use. */
export async function countCredentials(tx: Tx, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from credential where person_id = ${personId} and removed_at is null
  `.execute(tx)
  return rows[0]?.count ?? 0
}
