import { Problem } from '#domain/problem.ts'
import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { OidcSettings } from '#policy/settings.ts'
import { databaseTime } from '#store/database-time.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { KeyIdentity } from '../api-keys/read-api-key.ts'
import { ProviderFailure, type IdentityProvider } from './identity-provider.ts'
import { keyOfClient } from './key-of-client.ts'
import { readClaims, type ProvenIdentity } from './read-claims.ts'
import type { ActivePerson } from '../find-active-person.ts'
import { isAdmitted } from '../is-admitted.ts'
import { isFormer } from '../../core/admission.ts'

/** Why a token is refused. `code`: the code of the protocol, for the trail. */
export interface TokenRefusal {
  readonly why: SignInRefusal
  readonly code?: string
}

/** The claims in which issuers name the client: RFC 9068, OpenID Connect, Okta, Entra ID. */
const clientClaims = ['client_id', 'azp', 'cid', 'appid'] as const
const clientForm = /^[\x21-\x7e]{1,200}$/

/**
 * The identity behind an access token of the sign-in provider that was issued for one of the
 * `audiences`: the key of its client, narrowed to the scopes of the token. Its person is behind
 * everything that is done with it, and it decides nothing. Rejects with `unavailable` while the
 * token cannot be verified.
 */
export async function readAccessToken(
  ctx: ServiceContext,
  input: {
    readonly config: ProjectConfig
    readonly settings: OidcSettings
    readonly provider: IdentityProvider
    readonly token: string
    readonly audiences: readonly string[]
  },
): Promise<KeyIdentity | TokenRefusal> {
  const { config, settings, provider, token, audiences } = input
  const claims = await provider
    .verifyAccessToken(token, audiences, () => databaseTime(ctx.db))
    .catch((error: unknown) => refusalOf(error))
  if (claims instanceof ProviderFailure) return { why: 'token_not_valid', code: claims.code }
  const client = clientClaims.map((name) => claims[name]).find((value) => value !== undefined)
  if (typeof client !== 'string' || !clientForm.test(client)) {
    return { why: 'token_not_valid', code: 'no_client' }
  }
  const person = await personOfToken(ctx, config, readClaims(settings, claims))
  if (typeof person === 'string') return { why: person }
  const key = await keyOfClient(ctx, { issuer: settings.issuer, client, person })
  if (typeof key === 'string') return { why: key }
  const granted = scopesOf(claims)
  return { ...key, scopes: new Set([...key.scopes].filter((scope) => granted.has(scope))) }
}

/** An unreachable provider says nothing about the token. */
function refusalOf(error: unknown): ProviderFailure {
  if (!(error instanceof ProviderFailure)) throw error
  if (error.why === 'token_refused') return error
  throw new Problem(
    'unavailable',
    'The sign-in provider does not answer, so its access tokens cannot be verified now',
    { retryAfterSeconds: 5 },
    { cause: error },
  )
}

/** A string with spaces (RFC 9068), or a list. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const texts = [scope, scp].flat().filter((value) => typeof value === 'string')
  return new Set(texts.flatMap((text) => text.split(' ')))
}

/**
 * The person of an access token: the one to whom its account is bound or, for an unbound account,
 * the one with its verified address and no other account there. Only a sign-in binds accounts and
 * makes people; a token does neither.
 */
async function personOfToken(
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
