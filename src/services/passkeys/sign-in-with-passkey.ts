import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { newId } from '#domain/new-id.ts'
import { readEnabledPerson } from '../access/find-active-person.ts'
import { isAdmittedNow } from '../access/is-admitted.ts'
import { refuseSignIn } from '../access/sign-in/refuse-sign-in.ts'
import {
  startSession,
  type SignInSurroundings,
  type StartedSession,
} from '../access/sessions/start-session.ts'
import type { ServiceContext } from '../core/context.ts'
import { isFirstUse } from '../core/ledger.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { challengeTtlMs, storeChallenge, takeChallenge } from './challenges.ts'
import { userHandleOf, type RelyingParty } from './relying-party.ts'
import { useCredential } from './verify-assertion.ts'
import { byVisitor } from '../core/authority.ts'

/**
 * The options with which the browser asks an authenticator for a sign-in. They name nobody: the
 * passkey names its owner.
 */
export async function offerPasskeySignIn(
  ctx: ServiceContext,
  relyingParty: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    timeout: challengeTtlMs,
    userVerification: 'required',
  })
  await storeChallenge(ctx, {
    challenge: options.challenge,
    purpose: 'sign_in',
    session_hash: null,
    statement: null,
    salt: null,
  })
  return options
}

/**
 * Signs in the owner of the passkey that answered a challenge, once, if the authenticator verified
 * its owner. Rejects with `unauthenticated`, never saying which part was wrong; every refusal is
 * audited, including one for a counter that went back.
 */
export async function signInWithPasskey(
  ctx: ServiceContext,
  input: SignInSurroundings & {
    readonly relyingParty: RelyingParty
    readonly response: AuthenticationResponseJSON
  },
): Promise<StartedSession> {
  const { response, channel } = input
  const { clientDataJSON: clientDataJson } = response.response
  const expected = { clientDataJson, purpose: 'sign_in', sessionHash: null } as const
  const issued = await takeChallenge(ctx, expected)
  const isNew =
    issued !== null &&
    (await isFirstUse(ctx.ledger, { kind: 'challenge', id: issued.challenge }, newId()))
  if (!isNew) return refuseSignIn(ctx, { method: 'passkey', why: 'challenge', channel })
  const session = await inUnitOfWork(ctx, byVisitor('sign-in', channel), async (unit) => {
    const owner = await lockByWebauthnId(unit, response.id)
    if (owner === null || !isHandleOf(owner.person.id, response)) return 'credential'
    const assertion = { ...input, challenge: issued.challenge }
    const refusal = await useCredential(unit.tx, owner.credential, assertion)
    if (refusal !== null) return refusal
    if (!(await isAdmittedNow(ctx, unit, owner.person))) return 'unknown_person'
    return startSession(unit, { ...input, person: owner.person, method: 'passkey' })
  })
  if (typeof session !== 'string') return session
  return refuseSignIn(ctx, { method: 'passkey', why: session, channel })
}

/** The credential in use with the authenticator's id, and its owner, who is not disabled. */
async function lockByWebauthnId({ tx, seals }: UnitOfWork, webauthnId: string) {
  const credential = await tx
    .selectFrom('credential')
    .selectAll()
    .where('webauthn_id', '=', webauthnId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (credential === undefined || !seals.holds('credential', credential)) return null
  const person = await readEnabledPerson({ tx, seals }, credential.person_id)
  return person === null ? null : { credential, person }
}

/** Whether the user handle of the answer is its owner's. */
function isHandleOf(personId: string, { response }: AuthenticationResponseJSON): boolean {
  const { userHandle } = response
  return userHandle === Buffer.from(userHandleOf(personId)).toString('base64url')
}
