import { valueIn } from '#domain/json/value-in.ts'
import { readEmailAddress } from '#domain/email-address.ts'
import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { OidcSettings } from '#policy/settings.ts'

/** The verified claims that count here. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  /** in lower case; null: the provider sent none, or none that identifies a person */
  readonly email: string | null
  /** why there is no address */
  readonly refusal: SignInRefusal | null
  readonly name: string | null
  /** those of the mapped groups that the provider sent */
  readonly groups: readonly string[]
}

/**
 * Reads claims as the configuration describes them. An address is verified only by `true`, not by
 * `"true"` or an absent claim.
 */
export function readClaims(
  settings: OidcSettings,
  claims: Readonly<Record<string, unknown>>,
): ProvenIdentity {
  const claim = valueIn(claims, settings.emailClaim)
  const email = typeof claim === 'string' ? readEmailAddress(claim) : null
  const isVerified = !settings.requireVerifiedEmail || valueIn(claims, 'email_verified') === true
  const name = valueIn(claims, 'name')
  return {
    issuer: settings.issuer,
    subject: String(valueIn(claims, 'sub')),
    email: isVerified ? email : null,
    refusal: email === null ? 'no_email' : isVerified ? null : 'unverified_email',
    name: typeof name === 'string' && isPlain(name) ? name.trim() : null,
    groups: groupsOf(valueIn(claims, settings.groupsClaim)).filter((group) =>
      settings.teams.has(group),
    ),
  }
}

/** Some providers send a single group as a string. */
function groupsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return []
  return [...new Set(value.filter((group) => typeof group === 'string'))]
}

function isPlain(name: string): boolean {
  return name.trim() !== '' && name.length <= 200 && !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(name)
}
