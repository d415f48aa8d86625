import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { canonicalJson } from '../json/digest.ts'
import { decodeBase64 } from '../text/encoding/base64.ts'
import type { SignedStatement, StatementKind } from './statement.ts'
import { isVerified, rememberVerified } from './verified-signatures.ts'

/**
 * The signed bytes: a domain prefix, so that one kind of statement can never pass for another, and
 * the canonical JSON.
 */
function signedBytes(kind: StatementKind, statement: string): Buffer {
  return Buffer.from(`countersign/${kind}/v1\0${statement}`, 'utf8')
}

/** The private half exists in the API process only (security.md 13). */
export interface Signer {
  readonly keyId: string
  readonly privateKey: KeyObject
}

/** Public keys by id, from a file or the environment and never from a row. */
export interface Verifier {
  readonly publicKeys: ReadonlyMap<string, KeyObject>
  /** former signing keys that are no longer trusted: somebody else may have them */
  readonly retired?: ReadonlyMap<string, RetiredKey>
}

export interface RetiredKey {
  readonly publicKey: KeyObject
  /** ISO 8601; empty if it was not recorded */
  readonly at: string
}

/** Signs a statement with Ed25519 over its canonical JSON behind the kind's prefix. */
export function signStatement(
  signer: Signer,
  kind: StatementKind,
  statement: object,
): SignedStatement {
  // Both are read together: a key may rotate while the process runs.
  const { keyId, privateKey } = signer
  const text = canonicalJson(statement)
  const signature = sign(null, signedBytes(kind, text), privateKey).toString('base64url')
  return { statement: text, signature, keyId }
}

/** A run's statement is verified for each of its calls, so valid signatures are remembered. */
function holds(key: KeyObject, kind: StatementKind, signedStatement: SignedStatement): boolean {
  const bytes = signedBytes(kind, signedStatement.statement)
  if (isVerified(key, signedStatement.signature, bytes)) return true
  const signature = decodeBase64(signedStatement.signature, 'base64url')
  if (signature === null || !verify(null, bytes, key, signature)) return false
  rememberVerified(key, signedStatement.signature, bytes)
  return true
}

/**
 * As {@link signStatement}; the signature then counts as verified under the same key of `verifier`,
 * since verifying takes three times as long as signing.
 */
export function signVerified(
  signer: Signer,
  verifier: Verifier,
  kind: StatementKind,
  statement: object,
): SignedStatement {
  const { keyId, privateKey } = signer
  const signedStatement = signStatement({ keyId, privateKey }, kind, statement)
  const publicKey = verifier.publicKeys.get(keyId)
  // Another key under this id verifies nothing that this one signs.
  if (publicKey?.equals(createPublicKey(privateKey)) === true) {
    const { statement: text, signature } = signedStatement
    rememberVerified(publicKey, signature, signedBytes(kind, text))
  }
  return signedStatement
}

/** The signed statement that a row stores. */
export function signedStatementOf(row: {
  readonly statement: string
  readonly signature: string
  readonly key_id: string
}): SignedStatement {
  return { statement: row.statement, signature: row.signature, keyId: row.key_id }
}

/** Whether a statement's signature is valid under a known key. Never throws. */
export function isSigned(
  verifier: Verifier,
  kind: StatementKind,
  signedStatement: SignedStatement,
): boolean {
  const key = verifier.publicKeys.get(signedStatement.keyId)
  if (key === undefined) return false
  try {
    return holds(key, kind, signedStatement)
  } catch {
    return false
  }
}

/**
 * The parsed statement when its signature is valid under a known key; `null` otherwise. Never
 * throws on hostile input. The caller compares every field with what it is about to do.
 */
export function verifyStatement<T extends object>(
  verifier: Verifier,
  kind: StatementKind,
  signedStatement: SignedStatement,
): T | null {
  if (!isSigned(verifier, kind, signedStatement)) return null
  try {
    return JSON.parse(signedStatement.statement) as T
  } catch {
    return null
  }
}

/** A verifier that also trusts retired keys, for judging earlier signatures. */
export function withRetired({ publicKeys, retired }: Verifier): Verifier {
  const earlier = [...(retired ?? [])].map(([id, { publicKey }]) => [id, publicKey] as const)
  return { publicKeys: new Map([...earlier, ...publicKeys]) }
}
