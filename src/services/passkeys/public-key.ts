import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { cose as coseLibrary } from '@simplewebauthn/server/helpers'
import { hashBytes } from '#domain/json/digest.ts'

/**
 * The signature algorithms of passkeys by their COSE numbers: ES256, EdDSA, RS256. The offline
 * verifier supports them too.
 */
export const algorithms = [-7, -8, -257]

/**
 * A credential's public key in a common form: SubjectPublicKeyInfo in base64, and its hash for
 * people to compare.
 */
export interface PublicKey {
  readonly spki: string
  readonly hash: string
}

/** Reads a COSE key in base64url. Rejects for another kind than {@link algorithms}. */
export async function readPublicKey(coseKey: string): Promise<PublicKey> {
  const { cose, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  const bytes = new Uint8Array(Buffer.from(coseKey, 'base64url'))
  const key = createPublicKey({ key: asJwk(cose, decodeCredentialPublicKey(bytes)), format: 'jwk' })
  const der = key.export({ type: 'spki', format: 'der' })
  return { spki: der.toString('base64'), hash: hashBytes(der) }
}

function asJwk(cose: typeof coseLibrary, key: coseLibrary.COSEPublicKey): JsonWebKey {
  const { COSEKEYS } = cose
  if (cose.isCOSEPublicKeyOKP(key)) {
    return { kty: 'OKP', crv: 'Ed25519', x: base64url(key.get(COSEKEYS.x)) }
  }
  if (cose.isCOSEPublicKeyEC2(key)) {
    const [x, y] = [base64url(key.get(COSEKEYS.x)), base64url(key.get(COSEKEYS.y))]
    return { kty: 'EC', crv: 'P-256', x, y }
  }
  if (cose.isCOSEPublicKeyRSA(key)) {
    return { kty: 'RSA', n: base64url(key.get(COSEKEYS.n)), e: base64url(key.get(COSEKEYS.e)) }
  }
  throw new TypeError('This is a key of another type')
}

function base64url(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? new Uint8Array()).toString('base64url')
}
