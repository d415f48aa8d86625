import { verify, type KeyLike } from 'node:crypto'
import { MismatchError } from './errors.ts'

/** The right to make one call once, as the service signed it. */
export interface Permit {
  readonly permitId: string
  readonly requestId: string
  readonly digest: string
  readonly expiresAt: string
  /** canonical JSON, the very bytes that are signed */
  readonly statement: string
  /** Ed25519, base64url */
  readonly signature: string
  readonly keyId: string
}

interface Statement {
  readonly requestId: string
  readonly digest: string
  readonly decision: string
  readonly expiresAt: string
}

/**
 * Throws a `MismatchError` unless a permit allows exactly this call, now: what is signed names this
 * request and this digest. With a public key (of the service's `keys` folder), the signature must
 * hold too.
 */
export function checkPermit(
  permit: Permit,
  call: { readonly requestId: string; readonly digest: string },
  publicKey: KeyLike | undefined,
): void {
  const wrong = (what: string): MismatchError =>
    new MismatchError(call.requestId, `The permit is not one for this call: ${what}`)
  const statement = JSON.parse(permit.statement) as Statement
  if (statement.requestId !== call.requestId) throw wrong('it names another request')
  if (statement.digest !== call.digest) throw wrong('it names another digest')
  if (statement.decision !== 'approve') throw wrong('it allows nothing')
  if (Date.parse(statement.expiresAt) <= Date.now()) throw wrong('it has expired')
  if (publicKey === undefined) return
  const signed = Buffer.from(`countersign/permit/v1\0${permit.statement}`, 'utf8')
  const signature = Buffer.from(permit.signature, 'base64url')
  if (!verify(null, signed, publicKey, signature)) throw wrong('its signature does not hold')
}
