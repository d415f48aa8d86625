import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { challengeOf, type DecisionStatement } from '#domain/deciding/decision-signature.ts'
import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { challengeTtlMs, storeChallenge } from '../passkeys/challenges.ts'
import type { RelyingParty } from '../passkeys/relying-party.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import { readDecisionFacts } from '../requests/facts/decision-facts.ts'
import { parseDecision } from '../requests/facts/decision-input.ts'
import { expiredProblem } from '../requests/ending/refuse-ended.ts'
import { judgeDecision } from './judge-decision.ts'
import { newSalt } from '../requests/words/salted-text.ts'
import { factsToSign, issueStatement } from './signing/decision-statement.ts'

/** The statement to sign, and the options with which the browser asks the passkey. */
export interface OfferedSignature {
  readonly options: PublicKeyCredentialRequestOptionsJSON
  readonly statement: DecisionStatement
  readonly expiresAt: Date
}

/**
 * Issues the statement that a person signs to decide (audit.md, Approver's signature): its SHA-256
 * is the challenge, which this session can answer once, within five minutes, with a confirmed
 * passkey of the person. `body` is the decision that will be sent, judged now as it will be then,
 * except for the signature. Rejects with its codes, and with `no_passkey`.
 */
export async function offerSignature(
  ctx: ServiceContext,
  caller: Caller,
  input: {
    /** id or number */
    readonly request: string
    readonly body: Json
    readonly sessionHash: string
    readonly relyingParty: RelyingParty
  },
): Promise<OfferedSignature> {
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'sign' }, (target) => {
    const decision = parseDecision(input.body)
    return ctx.db.transaction().execute(async (tx) => {
      const request = await tx
        .selectFrom('request')
        .selectAll()
        .where('id', '=', target.id)
        .executeTakeFirstOrThrow()
      const personId = caller.actor.type === 'person' ? caller.actor.id : null
      const decider = { personId, sessionHash: null }
      const facts = await readDecisionFacts({ tx, seals: ctx.seals }, request.id, decider)
      const voter = await judgeDecision(tx, request, facts, decision, {
        caller,
        seenAtAnyRisk: false,
      })
      if (voter === 'lapsed') throw expiredProblem(request)
      const passkeys = await confirmedPasskeys(tx, voter.person.id)
      const salt = decision.reason === null ? null : newSalt()
      const { id: rpID, origin } = input.relyingParty
      const signer = { personId: voter.person.id, origin, salt }
      const statement = issueStatement(factsToSign(request, decision, signer), facts.now)
      const challenge = challengeOf(statement)
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
      const options = await generateAuthenticationOptions({
        rpID,
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        allowCredentials: passkeys,
        userVerification: 'required',
        timeout: challengeTtlMs,
      })
      const expiresAt = await storeChallenge(
        { db: tx, seals: ctx.seals },
        {
          challenge,
          purpose: 'decide',
          session_hash: input.sessionHash,
          statement,
          salt,
        },
      )
      return { options, statement: JSON.parse(statement) as DecisionStatement, expiresAt }
    })
  })
}

/** The passkeys that may sign decisions. Rejects with `no_passkey`, which says what is missing. */
async function confirmedPasskeys(
  tx: Tx,
  personId: string,
): Promise<{ id: string; transports: string[] }[]> {
  const rows = await tx
    .selectFrom('credential')
    .select(['webauthn_id', 'transports', 'confirmed_at'])
    .where('person_id', '=', personId)
    .where('removed_at', 'is', null)
    .execute()
  const confirmed = rows.filter((row) => row.confirmed_at !== null)
  if (confirmed.length === 0) {
    const sentence =
      rows.length === 0
        ? 'You have no passkey to sign with: register one on your account page, and have somebody else confirm it'
        : 'Nobody has confirmed your passkey yet: ask somebody with the right managePeople'
    throw new Problem('no_passkey', sentence)
  }
  return confirmed.map(({ webauthn_id: id, transports }) => ({ id, transports }))
}
