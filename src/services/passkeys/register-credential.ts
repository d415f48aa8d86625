import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { lockPerson } from '../access/find-active-person.ts'
import { challengeTtlMs, storeChallenge, takeChallenge } from './challenges.ts'
import {
  countCredentials,
  maxCredentials,
  readCredential,
  type CredentialRecord,
} from './credential-record.ts'
import { algorithms, readPublicKey } from './public-key.ts'
import { userHandleOf, type RelyingParty } from './relying-party.ts'
import { bySelf } from '../core/authority.ts'

/** A session that registers a passkey for its own person; only it can answer the challenge. */
export interface RegistrationSession {
  readonly sessionHash: string
  readonly relyingParty: RelyingParty
}

/**
 * The options with which the browser asks an authenticator to make a passkey: one that works
 * without a name, and only after its owner was verified. The person's passkeys are excluded.
 * Rejects with `forbidden` for callers that are not people.
 */
export async function offerRegistration(
  ctx: ServiceContext,
  caller: Caller,
  { sessionHash, relyingParty }: RegistrationSession,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const person = await findPerson(ctx, caller)
  const existing = await ctx.db
    .selectFrom('credential')
    .select(['webauthn_id', 'transports'])
    .where('person_id', '=', person.id)
    .where('removed_at', 'is', null)
    .execute()
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpName: 'Countersign',
    rpID: relyingParty.id,
    userName: person.email,
    userID: userHandleOf(person.id),
    userDisplayName: person.name,
    timeout: challengeTtlMs,
    attestationType: 'none',
    excludeCredentials: existing.map(({ webauthn_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
  await storeChallenge(ctx, {
    challenge: options.challenge,
    purpose: 'register',
    session_hash: sessionHash,
    statement: null,
    salt: null,
  })
  return options
}

/**
 * Registers a passkey for the caller, who may sign in with it from now on; it signs decisions after
 * `confirmCredential`. The challenge is consumed in any case. Rejects with `invalid_request` for an
 * answer that does not verify, and with `conflict` for a registered credential or one too many.
 * Audits `credential.changed`.
 */
export async function registerCredential(
  ctx: ServiceContext,
  caller: Caller,
  input: RegistrationSession & {
    readonly name: string
    readonly response: RegistrationResponseJSON
  },
): Promise<CredentialRecord> {
  const authority = bySelf(caller, 'Only people can have passkeys')
  const person = await findPerson(ctx, caller)
  const registration = await verifyAnswer(ctx, input)
  const publicKey = Buffer.from(registration.credential.publicKey).toString('base64url')
  const id = newId()
  const judge = async (at: JudgingContext) => {
    await lockPerson(at, person.id)
    return { authority }
  }
  return inUnitOfWork(ctx, judge, async (unit) => {
    if ((await countCredentials(unit.tx, person.id)) >= maxCredentials) {
      const sentence = `A person has at most ${maxCredentials} passkeys; remove one you do not use`
      throw new Problem('conflict', sentence)
    }
    const row = {
      id,
      person_id: person.id,
      webauthn_id: registration.credential.id,
      public_key: publicKey,
    }
    const inserted = await unit.tx
      .insertInto('credential')
      .values({
        ...row,
        seal: unit.seals.of('credential', row),
        counter: registration.credential.counter,
        transports: [...(registration.credential.transports ?? [])],
        name: input.name,
        synced: registration.credentialDeviceType === 'multiDevice',
      })
      .onConflict((conflict) => conflict.column('webauthn_id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (inserted === undefined) throw new Problem('conflict', 'This passkey is registered already')
    await unit.audit({
      type: 'credential.changed',
      detail: {
        change: 'passkey_registered',
        personId: person.id,
        credentialId: id,
        publicKey: (await readPublicKey(publicKey)).spki,
        rpId: input.relyingParty.id,
      },
    })
    return readCredential(unit.tx, id)
  })
}

async function verifyAnswer(
  ctx: ServiceContext,
  {
    sessionHash,
    relyingParty,
    response,
  }: RegistrationSession & { response: RegistrationResponseJSON },
) {
  const { clientDataJSON: clientDataJson } = response.response
  const issued = await takeChallenge(ctx, { clientDataJson, purpose: 'register', sessionHash })
  if (issued === null) {
    throw refuse(
      'answers no open challenge: each challenge counts once, for five minutes. Try again',
    )
  }
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: issued.challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch((error: unknown) => {
    throw refuse('does not verify', error)
  })
  // The library looks for frames of other sites in answers that sign, and not in this one.
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers')
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJson)
  const isInForeignFrame = crossOrigin === true || topOrigin !== undefined
  if (!verified.verified || isInForeignFrame) throw refuse('does not verify')
  return verified.registrationInfo
}

function refuse(message: string, cause?: unknown): Problem {
  const sentence = `The passkey's answer ${message}`
  return new Problem('invalid_request', sentence, { field: 'response', message }, { cause })
}

/** The calling person, as authenticators show them. Rejects machines with `forbidden`. */
async function findPerson(
  ctx: ServiceContext,
  { actor }: Caller,
): Promise<{ readonly id: string; readonly name: string; readonly email: string }> {
  if (actor.type !== 'person') throw new Problem('forbidden', 'Only people can have passkeys')
  const person = await ctx.db
    .selectFrom('person')
    .select(['id', 'name', 'email'])
    .where('id', '=', actor.id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) throw new Problem('not_found', 'There is no such person')
  return person
}
