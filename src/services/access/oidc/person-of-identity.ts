import { sql, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { IdentityTable } from '#store/tables/people.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { isFormer, isNamed } from '../../core/admission.ts'
import { sealedPerson } from '../sealed-rows.ts'
import type { ProvenIdentity } from './read-claims.ts'
import { teamsOfGroups } from './sync-group-members.ts'

export interface KnownPerson {
  readonly id: string
  readonly name: string
  /** this sign-in bound the account to the person, or made the person */
  readonly news: 'identity_linked' | 'person_created' | null
}

/**
 * Finds the person of an account. An account that is bound stays bound, also when its address
 * changes. An unbound account is bound to the person with its verified address, who may have one
 * account at an issuer. Somebody whom the configuration does not name is a person only while one of
 * their mapped groups fills a team.
 */
export async function personOfIdentity(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  config: ProjectConfig,
  identity: ProvenIdentity,
): Promise<KnownPerson | SignInRefusal> {
  const isInTeam = teamsOfGroups(config.signIn.oidc?.teams ?? new Map(), identity.groups).length > 0
  const bound = await tx
    .selectFrom('identity')
    .innerJoin('person', 'person.id', 'identity.person_id')
    .selectAll('identity')
    .select(['person.email as person_email', 'person.name', 'person.disabled_at'])
    .where('identity.issuer', '=', identity.issuer)
    .where('identity.subject', '=', identity.subject)
    .executeTakeFirst()
  if (bound !== undefined) {
    const { person_id: id, person_email: address, name } = bound
    if (!seals.holds('identity', bound)) return 'unknown_person'
    await rememberClaims({ tx, seals }, id, identity)
    if (bound.disabled_at !== null) return 'disabled'
    if (!isInTeam && !isNamed(config, address)) return 'unknown_person'
    return { id, name, news: null }
  }
  const { email } = identity
  if (email === null) return identity.refusal ?? 'no_email'
  if (!isInTeam && !isNamed(config, email)) return 'unknown_person'
  const id = newId()
  const name = identity.name ?? email
  if (!isFormer(config, email)) {
    await tx
      .insertInto('person')
      .values(sealedPerson(seals, { id, email, name }))
      .onConflict((conflict) => conflict.column('email').doNothing())
      .execute()
  }
  const person = await tx
    .selectFrom('person')
    .select(['id', 'email', 'name', 'disabled_at', 'other_ids', 'seal'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (person === undefined) return 'unknown_person'
  if (person.disabled_at !== null) return 'disabled'
  if (!seals.holds('person', person)) return 'unknown_person'
  if (!(await rememberClaims({ tx, seals }, person.id, identity))) return 'other_account'
  const news = person.id === id ? 'person_created' : 'identity_linked'
  return { id: person.id, name: person.name, news }
}

/**
 * Stores the newest claims of the provider; false when the person has another account there, or a
 * concurrent sign-in has bound this one.
 */
async function rememberClaims(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  personId: string,
  identity: ProvenIdentity,
): Promise<boolean> {
  const { issuer, subject } = identity
  const claims = {
    groups: [...identity.groups],
    told_at: sql<Date>`clock_timestamp()`,
    ...(identity.email === null ? {} : { email: identity.email }),
  }
  const row = await tx
    .updateTable('identity')
    .set(claims)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('person_id', '=', personId)
    .returningAll()
    .executeTakeFirst()
  if (row !== undefined) {
    await sealAccount({ tx, seals }, row)
    return true
  }
  const added = await tx
    .insertInto('identity')
    .values({
      id: newId(),
      issuer,
      subject,
      person_id: personId,
      email: identity.email ?? '',
      ...claims,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (added === undefined) return false
  await sealAccount({ tx, seals }, added)
  return true
}

/** The database fills a column that the seal covers. */
async function sealAccount(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  account: Selectable<IdentityTable>,
): Promise<void> {
  await tx
    .updateTable('identity')
    .set({ seal: seals.of('identity', { ...account }) })
    .where('issuer', '=', account.issuer)
    .where('subject', '=', account.subject)
    .execute()
}
