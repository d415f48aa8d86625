import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { sql, type Selectable } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { CredentialTable } from '#store/tables/people.ts'
import type { RelyingParty } from './relying-party.ts'

/**
 * Why a passkey's answer does not count. `counter`: it verifies, but was made before one that
 * counted, or by a copy.
 */
export type AssertionRefusal = 'assertion' | 'counter'

/**
 * Verifies a passkey's answer to a challenge: signature, origin, host, and that its owner was
 * verified; then stores its counter. The caller holds the credential's lock, has consumed the
 * challenge, and has judged whose credential it is. `null`: it counts.
 */
export async function useCredential(
  tx: Tx,
  credential: Selectable<CredentialTable>,
  input: {
    readonly relyingParty: RelyingParty
    /** base64url */
    readonly challenge: string
    readonly response: AuthenticationResponseJSON
  },
): Promise<AssertionRefusal | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response: input.response,
    expectedChallenge: input.challenge,
    expectedOrigin: input.relyingParty.origin,
    expectedRPID: input.relyingParty.id,
    requireUserVerification: true,
    credential: {
      id: credential.webauthn_id,
      publicKey: new Uint8Array(Buffer.from(credential.public_key, 'base64url')),
      // Checked below, after the signature: anybody can claim a counter.
      counter: 0,
    },
  }).catch(() => null)
  if (verified === null || !verified.verified) return 'assertion'
  const { newCounter } = verified.authenticationInfo
  const before = Number(credential.counter)
  // Authenticators without a counter always send 0.
  if ((newCounter > 0 || before > 0) && newCounter <= before) return 'counter'
  await tx
    .updateTable('credential')
    .set({ counter: newCounter, last_used_at: sql`clock_timestamp()` })
    .where('id', '=', credential.id)
    .execute()
  return null
}
