import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { SignInRefusal } from '../../../domain/sign-in-refusal.ts'
import type { ProjectConfig } from '../../../policy/policy.ts'
import type { Tx } from '../../../store/database.ts'
import type { ProvenIdentity } from './read-claims.ts'
import { teamsOfGroups } from './sync-group-members.ts'

export interface KnownPerson {
  readonly id: string
  readonly name: string
  /** this sign-in made the account theirs, or made them a person */
  readonly news: 'identity_linked' | 'person_created' | null
}

/**
 * Whose account it is. Bound once, it stays that person's: a later address of it makes it nobody else's. An account that
 * is bound to nobody becomes that of the person with its verified address, who may have one account at an issuer.
 * Whoever the configuration does not name is somebody only while a mapped group of theirs fills a team.
 */
export async function personOfIdentity(
  tx: Tx,
  config: ProjectConfig,
  identity: ProvenIdentity,
): Promise<KnownPerson | SignInRefusal> {
  const isInTeam = teamsOfGroups(config.signIn.oidc?.teams ?? new Map(), identity.groups).length > 0
  const bound = await tx
    .selectFrom('identity')
    .innerJoin('person', 'person.id', 'identity.person_id')
    .select(['person.id', 'person.email', 'person.name', 'person.disabled_at'])
    .where('identity.issuer', '=', identity.issuer)
    .where('identity.subject', '=', identity.subject)
    .executeTakeFirst()
  if (bound !== undefined) {
    await rememberClaims(tx, bound.id, identity)
    if (bound.disabled_at !== null) return 'disabled'
    if (!isInTeam && !isNamed(config, bound.email)) return 'unknown_person'
    return { id: bound.id, name: bound.name, news: null }
  }
  const { email } = identity
  if (email === null) return identity.refusal ?? 'no_email'
  if (!isInTeam && !isNamed(config, email)) return 'unknown_person'
  const id = uuidv7()
  const name = identity.name ?? email
  await tx
    .insertInto('person')
    .values({ id, email, name, disabled_at: null })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
  const person = await tx
    .selectFrom('person')
    .select(['id', 'name', 'disabled_at'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  if (person.disabled_at !== null) return 'disabled'
  if (!(await rememberClaims(tx, person.id, identity))) return 'other_account'
  const news = person.id === id ? 'person_created' : 'identity_linked'
  return { id: person.id, name: person.name, news }
}

function isNamed(config: ProjectConfig, email: string): boolean {
  return config.people.some((person) => person.email === email)
}

/** Keeps what the provider said by now; false when the person has another account there, or somebody was faster. */
async function rememberClaims(
  tx: Tx,
  personId: string,
  identity: ProvenIdentity,
): Promise<boolean> {
  const { issuer, subject } = identity
  const told = {
    groups: [...identity.groups],
    told_at: sql<Date>`clock_timestamp()`,
    ...(identity.email === null ? {} : { email: identity.email }),
  }
  const row = await tx
    .updateTable('identity')
    .set(told)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('person_id', '=', personId)
    .returning('person_id')
    .executeTakeFirst()
  if (row !== undefined) return true
  const added = await tx
    .insertInto('identity')
    .values({ issuer, subject, person_id: personId, email: identity.email ?? '', ...told })
    .onConflict((conflict) => conflict.doNothing())
    .returning('person_id')
    .executeTakeFirst()
  return added !== undefined
}
