import type { Selectable } from 'kysely'
import {
  readPasskeyKey,
  whyNotSigned,
  type DecisionSignature,
  type DecisionStatement,
} from '#domain/deciding/decision-signature.ts'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { CredentialTable } from '#store/tables/people.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { takeChallenge } from '../../passkeys/challenges.ts'
import { readPublicKey } from '../../passkeys/public-key.ts'
import { relyingPartyOf } from '../../passkeys/relying-party.ts'
import { useCredential } from '../../passkeys/verify-assertion.ts'
import type { DecisionInput } from '../../requests/facts/decision-input.ts'
import { factsToSign, statesFacts } from './decision-statement.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import { needsSignature } from '../../requests/facts/needs-signature.ts'

/** A verified signature of a decision, and the salt of the reason that its statement commits to. */
export interface JudgedSignature {
  readonly signature: DecisionSignature
  readonly salt: string | null
}

/**
 * Judges the signature of a decision in its transaction, after everything else: `null` where there
 * is none and none is needed. Consumes the challenge and stores the credential's counter. Throws
 * `signature_required`, or `signature_invalid` with the part (`which`) that does not hold; the
 * caller then consumes the challenge of the transaction that is rolled back.
 */
export async function judgeSignature(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  request: Selectable<RequestTable>,
  decision: DecisionInput,
  signer: {
    readonly personId: string
    /** of the deciding session; `null` when no session decides */
    readonly sessionHash: string | null
  },
): Promise<JudgedSignature | null> {
  const { assertion } = decision
  if (assertion === null) {
    if (decision.decision === 'deny' || !needsSignature(request)) return null
    throw new Problem(
      'signature_required',
      'This approval needs a signature with your passkey, in the dashboard; nothing was decided',
    )
  }
  const { personId, sessionHash } = signer
  const { clientDataJSON: clientDataJson } = assertion.response
  const issued =
    sessionHash === null
      ? null
      : await takeChallenge({ db: tx, seals }, { clientDataJson, purpose: 'decide', sessionHash })
  if (issued === null || issued.statement === null) throw invalid('challenge')
  const { statement, salt } = issued
  const { origin } = JSON.parse(statement) as DecisionStatement
  const facts = factsToSign(request, decision, { personId, origin, salt })
  if (!statesFacts(statement, facts)) throw invalid('statement')
  const credential = await lockSigning(tx, assertion.id, personId)
  if (!seals.holds('credential', credential)) throw tamperedProblem('credential')
  const relyingParty = relyingPartyOf(origin)
  const proof = { relyingParty, challenge: issued.challenge, response: assertion }
  const refusal = await useCredential(tx, credential, proof)
  if (refusal !== null) throw invalid(refusal)
  const { authenticatorData, clientDataJSON, signature } = assertion.response
  const decisionSignature = {
    credentialId: credential.id,
    statement,
    authenticatorData,
    clientDataJSON,
    signature,
  }
  // The same check as the offline verifier's: a signature that is stored can be verified from the
  // evidence alone.
  const { spki } = await readPublicKey(credential.public_key)
  const key = readPasskeyKey(spki)
  if (key === null || whyNotSigned(decisionSignature, key) !== null) throw invalid('assertion')
  return { signature: decisionSignature, salt }
}

/** The person's credential with the authenticator's id, in use and confirmed by another. */
async function lockSigning(
  tx: Tx,
  webauthnId: string,
  personId: string,
): Promise<Selectable<CredentialTable>> {
  const credential = await tx
    .selectFrom('credential')
    .selectAll()
    .where('webauthn_id', '=', webauthnId)
    .where('person_id', '=', personId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (credential === undefined) throw invalid('credential')
  if (credential.confirmed_at === null) throw invalid('unconfirmed')
  return credential
}

const sentences = {
  challenge:
    'The signature answers no open challenge: each challenge counts once, for five minutes, in the session that created it. Sign again',
  statement: 'The signature is for another decision than the one that was sent',
  credential: 'The signature was not made with one of your active passkeys',
  unconfirmed: 'Nobody has confirmed this passkey yet, so it cannot sign decisions',
  assertion: 'The signature does not verify',
  counter:
    'The counter of the passkey decreased, as with a copied passkey: the signature does not count',
} as const

function invalid(which: keyof typeof sentences): Problem {
  return new Problem('signature_invalid', `${sentences[which]}; nothing was decided`, { which })
}
