import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { ActivePerson } from '../find-active-person.ts'
import { isAdmitted } from '../is-admitted.ts'
import { isFormer } from '../../core/admission.ts'
import type { ProvenIdentity } from './read-claims.ts'

/**
 * The person of an access token: the one to whom its account is bound or, for an unbound account,
 * the one with its verified address and no other account there. Only a sign-in binds accounts and
 * makes people; a token does neither.
 */
export async function personOfToken(
  { db, seals }: Pick<ServiceContext, 'db' | 'seals'>,
  config: ProjectConfig,
  { issuer, subject, email, refusal }: ProvenIdentity,
): Promise<ActivePerson | SignInRefusal> {
  const account = await db
    .selectFrom('identity')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (account !== undefined && !seals.holds('identity', account)) return 'unknown_person'
  if (account === undefined && email === null) {
    return refusal === 'unverified_email' ? refusal : 'not_bound'
  }
  const people = db.selectFrom('person').selectAll()
  const person = await (
    account === undefined
      ? people.where('email', '=', email)
      : people.where('id', '=', account.person_id)
  ).executeTakeFirst()
  if (person === undefined || !seals.holds('person', person)) return 'unknown_person'
  if (person.disabled_at !== null) return 'disabled'
  const { id, name } = person
  const other = await db
    .selectFrom('identity')
    .select('subject')
    .where('person_id', '=', id)
    .where('issuer', '=', issuer)
    .where('subject', '!=', subject)
    .executeTakeFirst()
  if (other !== undefined) return 'other_account'
  const isFormerly = isFormer(config, person.email)
  const isSomebody = !isFormerly && (await isAdmitted({ db, seals }, config, person))
  return isSomebody ? { id, email: person.email, name } : 'unknown_person'
}
