import { notSecure, parseSecureUrl } from '#domain/network/webhook-url.ts'
import type { OidcSettings, SignInSettings } from '../../../settings.ts'
import {
  readEntries,
  readFields,
  scalarOf,
  valueTextAt,
  fieldSource,
  wrong,
  type YamlField,
} from '../../../reading/yaml-field.ts'
import { readBoolean, readOneOrMany, readReference, readText } from '../../../reading/values.ts'
import { oidc, signIn } from '../../../schema/sign-in.ts'
import { keysOf } from '../../../schema/parts.ts'
import { readVariable } from './read-variable.ts'

/** People sign in by link, and in the development profile with its token. */
export const noSignIn: SignInSettings = { oidc: null }

const usualScopes = ['openid', 'email', 'profile']

/** Reads `signIn`: the provider at which people sign in, and which of its groups fill teams. */
export function readSignIn(field: YamlField, teams: ReadonlySet<string>): SignInSettings {
  const fields = readFields(field, keysOf(signIn))
  const oidcField = fields?.get('oidc') ?? null
  return { oidc: oidcField === null ? null : readOidc(oidcField, teams) }
}

function readOidc(field: YamlField, teamNames: ReadonlySet<string>): OidcSettings | null {
  const fields = readFields(field, keysOf(oidc))
  if (fields === null) return null
  const issuer = fields.readNeeded('issuer', 'write `issuer: https://…`', readIssuer)
  const clientId = fields.readNeeded('clientId', 'the provider gives one to each client', readText)
  const scopes = fields.read('scopes', readScopes, usualScopes)
  const label = fields.read('label', readText, null)
  const teams = fields.read(
    'teams',
    (at) => readMapping(at, teamNames),
    new Map<string, readonly string[]>(),
  )
  const rest = {
    clientSecretFrom: fields.read(
      'clientSecretFrom',
      (at) => readVariable(at, 'OIDC_SECRET'),
      null,
    ),
    emailClaim: fields.read('emailClaim', readClaim, 'email'),
    requireVerifiedEmail: fields.read('requireVerifiedEmail', readBoolean, true) ?? true,
    groupsClaim: fields.read('groupsClaim', readClaim, 'groups'),
    tokenAudiences: fields.read('tokenAudiences', (at) => readOneOrMany(at, readClaim) ?? [], []),
    source: fieldSource(field),
  }
  if (issuer === null || clientId === null) return null
  return { issuer, clientId, scopes, label: label ?? new URL(issuer).host, teams, ...rest }
}

/** Exactly as the provider writes it: it is compared with the issuer in its tokens. */
function readIssuer(field: YamlField): string | null {
  const value = readText(field)
  if (value === null) return null
  const url = parseSecureUrl(value)
  if (url === null) {
    wrong(field, notSecure.problem, notSecure.remedy)
    return null
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    wrong(field, 'is not an issuer', 'leave out user name, query and fragment')
    return null
  }
  return value
}

function readScopes(field: YamlField): readonly string[] {
  const scopes = readOneOrMany(field, readClaim) ?? []
  if (scopes.length > 0 && !scopes.includes('openid')) {
    wrong(field, 'does not have the scope openid', 'begin it with openid')
  }
  return scopes
}

function readClaim(field: YamlField): string {
  const value = scalarOf(field)
  if (typeof value === 'string' && /^[!-~]{1,200}$/.test(value)) return value
  wrong(field, `is ${valueTextAt(field)}, not a name`, 'write a name without spaces')
  return ''
}

/** Groups of the provider by their names or ids, and the teams that each fills. */
function readMapping(field: YamlField, teams: ReadonlySet<string>): Map<string, readonly string[]> {
  const mapping = new Map<string, readonly string[]>()
  for (const [group, value] of readEntries(field)) {
    if (group.length === 0 || group.length > 256) {
      wrong(value, 'has a group whose name is too long or empty', 'write 1 to 256 characters')
    }
    const named = readOneOrMany(value, (item) => readReference(item, 'team', teams))
    if (named !== null) mapping.set(group, named)
  }
  return mapping
}
