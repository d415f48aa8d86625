import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { v7 as uuidv7 } from 'uuid'
import { Problem } from '../../domain/problem.ts'
import { findPerson } from './find-person.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { challengeIn, challengeLastsMs, keepChallenge, takeChallenge } from './challenges.ts'
import {
  countCredentials,
  credentialsMost,
  readCredential,
  type CredentialRecord,
} from './credential-record.ts'
import { algorithms, readPublicKey } from './public-key.ts'
import { userHandleOf, type RelyingParty } from './relying-party.ts'

/** A session that registers a passkey for its own person: the challenge is this session's alone. */
export interface Registering {
  readonly sessionHash: string
  readonly relyingParty: RelyingParty
}

/**
 * What the browser asks an authenticator with: a passkey that is found without a name being typed, and only after its
 * owner was verified. Those the person has are excluded. Rejects with `forbidden` for whoever is no person.
 */
export async function offerRegistration(
  ctx: ServiceContext,
  caller: Caller,
  { sessionHash, relyingParty }: Registering,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const person = await findPerson(ctx, caller)
  const known = await ctx.db
    .selectFrom('credential')
    .select(['webauthn_id', 'transports'])
    .where('person_id', '=', person.id)
    .where('removed_at', 'is', null)
    .execute()
  const options = await generateRegistrationOptions({
    rpName: 'Countersign',
    rpID: relyingParty.id,
    userName: person.email,
    userID: userHandleOf(person.id),
    userDisplayName: person.name,
    timeout: challengeLastsMs,
    attestationType: 'none',
    excludeCredentials: known.map(({ webauthn_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
  await keepChallenge(ctx.db, {
    challenge: options.challenge,
    purpose: 'register',
    session_hash: sessionHash,
    statement: null,
    salt: null,
  })
  return options
}

/**
 * Registers a passkey for the caller, who may sign in with it from now on; to sign decisions it waits for
 * `confirmCredential`. The challenge counts once, whatever comes of it. Rejects with `invalid_request` for an answer that does
 * not verify, and with `conflict` for a credential that is registered or one too many. Audits `credential.changed`.
 */
export async function registerCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: Registering & { readonly name: string; readonly response: RegistrationResponseJSON },
): Promise<CredentialRecord> {
  const person = await findPerson(ctx, caller)
  const made = await verifyAnswer(ctx, input)
  const publicKey = Buffer.from(made.credential.publicKey).toString('base64url')
  const id = uuidv7()
  return inUnitOfWork(ctx, async (unit) => {
    await unit.tx
      .selectFrom('person')
      .select('id')
      .where('id', '=', person.id)
      .forUpdate()
      .execute()
    if ((await countCredentials(unit.tx, person.id)) >= credentialsMost) {
      const sentence = `A person has at most ${credentialsMost} passkeys; remove one you do not use`
      throw new Problem('conflict', sentence)
    }
    const inserted = await unit.tx
      .insertInto('credential')
      .values({
        id,
        person_id: person.id,
        webauthn_id: made.credential.id,
        public_key: publicKey,
        counter: made.credential.counter,
        transports: [...(made.credential.transports ?? [])],
        name: input.name,
        synced: made.credentialDeviceType === 'multiDevice',
      })
      .onConflict((conflict) => conflict.column('webauthn_id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (inserted === undefined) throw new Problem('conflict', 'This passkey is registered already')
    await unit.audit({
      type: 'credential.changed',
      actor: caller.actor,
      channel: caller.channel,
      detail: {
        change: 'passkey_registered',
        personId: person.id,
        credentialId: id,
        publicKey: readPublicKey(publicKey).spki,
        rpId: input.relyingParty.id,
      },
    })
    return readCredential(unit.tx, id)
  })
}

async function verifyAnswer(
  ctx: ServiceContext,
  { sessionHash, relyingParty, response }: Registering & { response: RegistrationResponseJSON },
) {
  const challenge = challengeIn(response.response.clientDataJSON)
  const taken =
    challenge === null
      ? null
      : await takeChallenge(ctx.db, { challenge, purpose: 'register', sessionHash })
  if (taken === null) {
    throw refused('answers no challenge that waits: each counts once, for five minutes. Try again')
  }
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: taken.challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch((error: unknown) => {
    throw refused('does not verify', error)
  })
  if (!verified.verified) throw refused('does not verify')
  return verified.registrationInfo
}

function refused(message: string, cause?: unknown): Problem {
  const sentence = `The passkey's answer ${message}`
  return new Problem('invalid_request', sentence, { field: 'response', message }, { cause })
}
