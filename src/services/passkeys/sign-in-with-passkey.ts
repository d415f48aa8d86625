import {
  generateAuthenticationOptions,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Tx } from '../../store/database.ts'
import { refuseSignIn } from '../access/refuse-sign-in.ts'
import {
  startSession,
  type SignInSurroundings,
  type StartedSession,
} from '../access/start-session.ts'
import type { ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { challengeIn, challengeLastsMs, keepChallenge, takeChallenge } from './challenges.ts'
import { userHandleOf, type RelyingParty } from './relying-party.ts'
import { useCredential } from './verify-assertion.ts'

/** What the browser asks an authenticator with to sign somebody in. It names nobody: the passkey says whose it is. */
export async function offerPasskeySignIn(
  ctx: ServiceContext,
  relyingParty: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    timeout: challengeLastsMs,
    userVerification: 'required',
  })
  await keepChallenge(ctx.db, {
    challenge: options.challenge,
    purpose: 'sign_in',
    session_hash: null,
    statement: null,
    salt: null,
  })
  return options
}

/**
 * Signs in whoever's passkey answered a challenge of ours, once, with its owner verified. Rejects with `unauthenticated`, never
 * saying which part was wrong; every refusal is audited, one of a counter that went back among them.
 */
export async function signInWithPasskey(
  ctx: ServiceContext,
  input: SignInSurroundings & {
    readonly relyingParty: RelyingParty
    readonly response: AuthenticationResponseJSON
  },
): Promise<StartedSession> {
  const { response, channel } = input
  const challenge = challengeIn(response.response.clientDataJSON)
  const taken =
    challenge === null
      ? null
      : await takeChallenge(ctx.db, { challenge, purpose: 'sign_in', sessionHash: null })
  if (taken === null) return refuseSignIn(ctx, { method: 'passkey', why: 'challenge', channel })
  const session = await inUnitOfWork(ctx, async (unit) => {
    const found = await lockByWebauthnId(unit.tx, response.id)
    if (found === null || !isHandleOf(found.person.id, response)) return 'credential'
    const used = { ...input, challenge: taken.challenge }
    const refusal = await useCredential(unit.tx, found.credential, used)
    if (refusal !== null) return refusal
    return startSession(unit, { ...input, person: found.person, method: 'passkey' })
  })
  if (typeof session !== 'string') return session
  return refuseSignIn(ctx, { method: 'passkey', why: session, channel })
}

/** The credential in use with the authenticator's id, and its owner, who is not disabled. */
async function lockByWebauthnId(tx: Tx, webauthnId: string) {
  const credential = await tx
    .selectFrom('credential')
    .selectAll()
    .where('webauthn_id', '=', webauthnId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (credential === undefined) return null
  const person = await tx
    .selectFrom('person')
    .select(['id', 'name'])
    .where('id', '=', credential.person_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return person === undefined ? null : { credential, person }
}

/** A passkey that is found without a name says whose it is; it must say its owner. */
function isHandleOf(personId: string, { response }: AuthenticationResponseJSON): boolean {
  const { userHandle } = response
  return userHandle === Buffer.from(userHandleOf(personId)).toString('base64url')
}
