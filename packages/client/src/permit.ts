import { fromBase64, utf8, type ImportedKey } from './bytes.ts'
import { MismatchError } from './errors.ts'
import { asObject } from './transport.ts'

/** The right to make one call once, signed by the service. */
export interface Permit {
  readonly permitId: string
  readonly requestId: string
  readonly digest: string
  readonly expiresAt: string
  /** canonical JSON; the signature covers exactly these bytes */
  readonly statement: string
  /** Ed25519, base64url */
  readonly signature: string
  readonly keyId: string
}

/** The service's public key: SPKI in PEM, as in the service's folder `keys`, or imported. */
export type PublicKey = string | ImportedKey

/**
 * Throws a `MismatchError` unless a permit allows exactly this call now: its statement must name
 * this request and this digest, and must not have expired. With a public key, also verifies the
 * signature.
 */
export async function checkPermit(
  permit: Permit,
  call: { readonly requestId: string; readonly digest: string },
  publicKey: PublicKey | undefined,
): Promise<void> {
  const wrong = (what: string): MismatchError =>
    new MismatchError(call.requestId, `The permit is not for this call: ${what}`)
  const statement = asObject(JSON.parse(permit.statement))
  if (statement['requestId'] !== call.requestId) throw wrong('it names another request')
  if (statement['digest'] !== call.digest) throw wrong('it names another digest')
  if (statement['decision'] !== 'approve') throw wrong('it does not allow the call')
  // A date that cannot be parsed also counts as expired.
  if (!(Date.parse(String(statement['expiresAt'])) > Date.now())) throw wrong('it has expired')
  if (publicKey === undefined) return
  const key = typeof publicKey === 'string' ? await importKey(publicKey) : publicKey
  const signedBytes = utf8(`countersign/permit/v1\0${permit.statement}`)
  const signature = fromBase64(permit.signature)
  if (!(await crypto.subtle.verify('Ed25519', key, signature, signedBytes))) {
    throw wrong('its signature is not valid')
  }
}

function importKey(pem: string): Promise<ImportedKey> {
  const bytes = fromBase64(pem.replaceAll(/-----[^-]+-----|\s/g, ''))
  return crypto.subtle.importKey('spki', bytes, 'Ed25519', false, ['verify'])
}
