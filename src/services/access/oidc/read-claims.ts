import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { OidcSettings } from '#policy/settings.ts'

/** What of verified claims counts here. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  /** in lower case; null: none was told, or none that may make somebody known */
  readonly email: string | null
  /** why there is no address */
  readonly refusal: SignInRefusal | null
  readonly name: string | null
  /** those of the mapped groups that were told */
  readonly groups: readonly string[]
}

const emailPattern = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}$/

/**
 * Reads claims by what the configuration says of them. Only `true` verifies an address, not
 * `"true"` and not silence.
 */
export function readClaims(
  settings: OidcSettings,
  claims: Readonly<Record<string, unknown>>,
): ProvenIdentity {
  const claim = claimOf(claims, settings.emailClaim)
  const email = typeof claim === 'string' && emailPattern.test(claim) ? claim.toLowerCase() : null
  const isVerified = !settings.requireVerifiedEmail || claimOf(claims, 'email_verified') === true
  const name = claimOf(claims, 'name')
  return {
    issuer: settings.issuer,
    subject: String(claimOf(claims, 'sub')),
    email: isVerified ? email : null,
    refusal: email === null ? 'no_email' : isVerified ? null : 'unverified_email',
    name: typeof name === 'string' && isPlain(name) ? name.trim() : null,
    groups: groupsOf(claimOf(claims, settings.groupsClaim)).filter((group) =>
      settings.teams.has(group),
    ),
  }
}

function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** One group may come as a text of its own. */
function groupsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return []
  return [...new Set(value.filter((group) => typeof group === 'string'))]
}

function isPlain(name: string): boolean {
  return name.trim() !== '' && name.length <= 200 && !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(name)
}
