import { parseObject } from '../json/parse-json.ts'
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import type { Scope } from '../policy/verdict.ts'
import type { DecisionVerb, DenialThen } from '../requests/request.ts'
import { decodeBase64 } from '../text/encoding/base64.ts'

/**
 * What a person signs with a passkey when they decide (audit.md, Approver's signature): its
 * canonical JSON, whose SHA-256 is the challenge.
 */
export interface DecisionStatement {
  readonly version: 1
  /** of the page on which they decided: `https://approvals.example.com` */
  readonly origin: string
  readonly requestId: string
  readonly revision: number
  readonly digest: string
  readonly policyDigest: string
  readonly decision: DecisionVerb
  /** how far an approval reaches; absent: `once` */
  readonly scope?: Scope
  /** the bounds of the grant; absent: none */
  readonly grant?: { readonly uses: number | null; readonly expiresAt: string | null }
  /** what a denial does; absent: `continue` */
  readonly then?: DenialThen
  /** hash of the salted reason, as in the decision's event */
  readonly reasonHash: string | null
  readonly personId: string
  /** ISO 8601, by the database's clock */
  readonly issuedAt: string
  /** 256 random bits, base64url */
  readonly nonce: string
}

/** A signed decision in its event: the credential's public key suffices to verify it. */
export interface DecisionSignature {
  readonly credentialId: string
  /** the exact bytes of the {@link DecisionStatement}, as text */
  readonly statement: string
  /** WebAuthn's authenticator data, base64url */
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
}

/**
 * Within this time before a passkey is registered, the person who confirms it must not have made a
 * sign-in link for its owner. With such a link, that person could still use a session of the owner
 * and act as both. The time covers the fifteen minutes of a link and the longest session, which is
 * a week.
 */
export const linkReachMs = 8 * 24 * 3_600_000

/** The challenge of a statement: SHA-256 of its bytes, base64url. */
export function challengeOf(statement: string): string {
  return createHash('sha256').update(statement, 'utf8').digest('base64url')
}

/** Parses a public key of an event (base64 of SPKI); `null` when no passkey can have it. */
export function readPasskeyKey(spki: string): KeyObject | null {
  const bytes = decodeBase64(spki)
  if (bytes === null) return null
  try {
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    return digestOf(key) === undefined ? null : key
  } catch {
    return null
  }
}

/**
 * Why a decision's signature does not hold, as the end of a sentence; `null`: it holds. Checks what
 * WebAuthn requires: the kind of answer, the challenge, the origin and its host, that the person
 * was present and verified, and the signature. Never throws on hostile input.
 */
export function whyNotSigned(signature: DecisionSignature, key: KeyObject): string | null {
  const statement = parse<DecisionStatement>(Buffer.from(signature.statement))
  const clientBytes = decodeBase64(signature.clientDataJSON, 'base64url')
  const data = decodeBase64(signature.authenticatorData, 'base64url')
  const signatureBytes = decodeBase64(signature.signature, 'base64url')
  if (clientBytes === null || data === null || signatureBytes === null) return 'it cannot be read'
  const client = parse<{
    type: unknown
    challenge: unknown
    origin: unknown
    crossOrigin: unknown
  }>(clientBytes)
  if (statement === null || typeof statement.origin !== 'string')
    return 'its statement is not valid'
  if (client?.type !== 'webauthn.get') return 'it is not a response to a signing challenge'
  if (client.challenge !== challengeOf(signature.statement)) return 'it signs another statement'
  if (client.origin !== statement.origin) return 'it was made at another origin'
  if (client.crossOrigin === true) return 'it was made in a page that another origin embeds'
  if (data.length < 37 || !URL.canParse(statement.origin)) return 'it cannot be read'
  const host = createHash('sha256').update(new URL(statement.origin).hostname).digest()
  if (!data.subarray(0, 32).equals(host)) return 'it was made for another host'
  const flags = data[32] ?? 0
  if ((flags & userPresent) === 0 || (flags & userVerified) === 0) {
    return 'the authenticator did not verify its owner'
  }
  const signedBytes = Buffer.concat([data, createHash('sha256').update(clientBytes).digest()])
  return holds(key, signedBytes, signatureBytes) ? null : 'its signature is not valid'
}

const userPresent = 0x01
const userVerified = 0x04

function holds(key: KeyObject, bytes: Buffer, signature: Buffer): boolean {
  try {
    return verify(digestOf(key) ?? null, bytes, key, signature)
  } catch {
    return false
  }
}

/** ES256 and RS256 take a hash, EdDSA makes its own (`null`); `undefined`: other keys. */
function digestOf({ asymmetricKeyType }: KeyObject): 'sha256' | null | undefined {
  if (asymmetricKeyType === 'ed25519') return null
  return asymmetricKeyType === 'ec' || asymmetricKeyType === 'rsa' ? 'sha256' : undefined
}

function parse<T>(bytes: Buffer): Partial<T> | null {
  return parseObject(bytes.toString('utf8')) as Partial<T> | null
}
