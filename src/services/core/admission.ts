import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { Tx } from '#store/database.ts'
import type { PolicyReader } from './context.ts'
import type { VerifiedPerson } from './verified-person.ts'

/** Whether the configuration names this address. */
export function isNamed(config: ProjectConfig, email: string): boolean {
  return config.people.some((person) => person.email === email)
}

/**
 * Whether it is an earlier address of somebody whom the configuration names by another one. No
 * second person is made for such an address (product.md 17).
 */
export function isFormer(config: ProjectConfig, email: string): boolean {
  return config.people.some(({ formerly = [] }) => formerly.includes(email))
}

/**
 * Whether a configuration admits a person: it names their address, also as an earlier one of
 * somebody, or one of their groups at the sign-in provider fills a team. The row of a person whom
 * it no longer names stays for the trail, and acts and signs in as nobody.
 */
export function admits(
  config: ProjectConfig,
  { email, teams }: Pick<VerifiedPerson, 'email' | 'teams'>,
): boolean {
  return isNamed(config, email) || isFormer(config, email) || teams.length > 0
}

/** The refusal of a caller who is disabled, or whom the version in force does not admit. */
export function cannotSignIn({ byKey }: { readonly byKey: boolean }): Problem {
  const who = byKey ? 'The owner of this API key' : 'You'
  return new Problem('unauthenticated', `${who} can no longer sign in, so nothing was done`)
}

/**
 * The version by which somebody who was admitted is judged again: the one in force or, while none
 * can be trusted, the last one that this process trusted, so that making the version in force
 * unreadable brings nobody back whom it removed. `null`: this process has trusted none yet.
 */
export async function versionToAdmitBy(
  policies: Pick<PolicyReader, 'inForce' | 'lastTrusted'>,
  on?: Tx,
): Promise<Policy | null> {
  try {
    return await policies.inForce(on)
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable') return policies.lastTrusted()
    throw error
  }
}
