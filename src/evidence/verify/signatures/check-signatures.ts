import { textIn } from '#domain/json/value-in.ts'
import {
  whyNotSigned,
  type DecisionSignature,
  type DecisionStatement,
} from '#domain/deciding/decision-signature.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Check } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { numberIn, objectIn, referenceTo, type LoggedEvent } from '../findings/logged-event.ts'
import { textToCompare } from '../findings/text-to-compare.ts'
import { Passkeys, type Passkey } from './passkeys.ts'

/**
 * Signatures of approvers (audit.md). Authenticity: each holds under the registered passkey, for
 * the facts of the event, and appears once. Authorisation: an approval that needs one has one, and
 * the passkey was the decider's own, in use, and confirmed by a second person before.
 */
export function checkSignatures(findings: {
  readonly authenticity: Findings
  readonly authorisation: Findings
}): Check {
  const { authenticity, authorisation } = findings
  const passkeys = new Passkeys(authorisation)
  /** ids of requests whose approval needs a signature, in the revision that is current */
  const needing = new Set<string>()
  const nonces = new Set<string>()
  let signatureCount = 0
  let unstatedCount = 0

  function decide(event: LoggedEvent): void {
    const { detail, requestId } = event
    const at = referenceTo(event)
    const isAsked = requestId !== null && needing.has(requestId)
    requireSignature(authorisation, event, isAsked)
    if (!Object.hasOwn(detail, 'signature')) return
    const signature = readSignature(objectIn(detail, 'signature'))
    if (signature === null) {
      authenticity.fail('its signature cannot be read', at)
      return
    }
    signatureCount += 1
    hold(event, signature)
  }

  function hold(event: LoggedEvent, signature: DecisionSignature): void {
    const at = referenceTo(event)
    const passkey = passkeys.of(signature.credentialId)
    if (passkey === undefined) {
      authenticity.fail('no event names the passkey that signed it', at)
      return
    }
    const why =
      passkey.key === null
        ? 'its passkey has no key that can be read'
        : whyNotSigned(signature, passkey.key)
    if (why !== null) {
      authenticity.fail(`the approver's signature does not hold: ${why}`, at)
      return
    }
    // It was parsed when its signature was verified.
    const statement = JSON.parse(signature.statement) as DecisionStatement & JsonObject
    for (const field of differences(event, statement)) {
      authenticity.fail(`the event and what the approver signed differ in ${field}`, at)
    }
    if (isWider(event) && !statesReach(event, statement)) unstatedCount += 1
    if (nonces.has(statement.nonce)) authenticity.fail('the same signature is there twice', at)
    nonces.add(statement.nonce)
    requireOwnPasskey(authorisation, event, passkey)
  }

  return {
    take(event) {
      passkeys.take(event)
      const { type, requestId, detail } = event
      if (requestId === null) return
      if (type === 'request.opened' || type === 'request.revised') {
        if (textIn(detail, 'signature') === 'required') needing.add(requestId)
        else needing.delete(requestId)
      } else if (type === 'decision.recorded') decide(event)
    },
    end() {
      if (signatureCount > 0) authenticity.describe(`signatures of approvers: ${signatureCount}`)
      if (unstatedCount > 0) {
        authenticity.describe(
          `signatures of an earlier version, which do not say how far the approval reaches: ${unstatedCount}`,
        )
      }
    },
  }
}

/** An approval has a signature if its request asked for one or its judgement required one. */
function requireSignature(authorisation: Findings, event: LoggedEvent, isAsked: boolean): void {
  const { detail } = event
  const at = referenceTo(event)
  const isJudged = textIn(objectIn(detail, 'basis'), 'signature') === 'required'
  if (isAsked && !isJudged) {
    authorisation.fail('the request asked for a signature, and the decision was judged without', at)
  }
  const isUnsignedApproval =
    textIn(detail, 'decision') === 'approve' && !Object.hasOwn(detail, 'signature')
  if (isUnsignedApproval && (isAsked || isJudged)) {
    authorisation.fail('its approval has no signature, and its queue required one', at)
  }
}

/** The passkey is the decider's own, in use, and another person confirmed it. */
function requireOwnPasskey(authorisation: Findings, event: LoggedEvent, passkey: Passkey): void {
  const at = referenceTo(event)
  if (passkey.personId !== event.actor.id) {
    authorisation.fail('the passkey of another person signed it', at)
  }
  if (passkey.confirmedBy === null) {
    authorisation.fail('nobody else had confirmed the passkey that signed it', at)
  }
  if (passkey.removedBy !== null) {
    authorisation.fail(`event ${passkey.removedBy} had removed its passkey`, at)
  }
}

function readSignature(detail: JsonObject): DecisionSignature | null {
  const credentialId = textIn(detail, 'credentialId')
  const statement = textIn(detail, 'statement')
  const authenticatorData = textIn(detail, 'authenticatorData')
  const clientDataJSON = textIn(detail, 'clientDataJSON')
  const signature = textIn(detail, 'signature')
  if (credentialId === null || statement === null || authenticatorData === null) return null
  if (clientDataJSON === null || signature === null) return null
  return { credentialId, statement, authenticatorData, clientDataJSON, signature }
}

function isWider({ detail }: LoggedEvent): boolean {
  return (textIn(detail, 'scope') ?? 'once') !== 'once'
}

/** Events and statements of earlier versions do not say how far an approval reaches. */
function statesReach({ detail }: LoggedEvent, statement: JsonObject): boolean {
  return Object.hasOwn(detail, 'grant') || Object.hasOwn(statement, 'scope')
}

/** The fields in which a decision's event differs from the signed statement. */
function differences(event: LoggedEvent, statement: JsonObject): string[] {
  const { detail } = event
  const pairs: Record<string, readonly [unknown, unknown]> = {
    version: [1, statement['version']],
    requestId: [event.requestId, statement['requestId']],
    revision: [numberIn(detail, 'revision'), statement['revision']],
    digest: [event.digest, statement['digest']],
    policyDigest: [event.policyDigest, statement['policyDigest']],
    decision: [textIn(detail, 'decision'), statement['decision']],
    reasonHash: [textIn(detail, 'reason'), statement['reasonHash']],
    personId: [event.actor.id, statement['personId']],
    ...(isWider(event) && !statesReach(event, statement)
      ? {}
      : {
          scope: [textIn(detail, 'scope') ?? 'once', statement['scope'] ?? 'once'],
          grant: [textToCompare(detail['grant']), textToCompare(statement['grant'])],
        }),
    ...(statement['then'] === undefined ? {} : { then: [detail['then'], statement['then']] }),
  }
  return Object.entries(pairs).flatMap(([field, [recorded, attested]]) =>
    recorded === attested ? [] : [field],
  )
}
