import { createHash } from 'node:crypto'

/** Length of every hash of the tree. */
export const hashBytesLong = 32

/** Hash of a leaf's bytes: `SHA-256(0x00 || bytes)` (RFC 6962 2.1). */
export function leafHash(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(Uint8Array.of(0)).update(bytes).digest()
}

/** Hash of an inner node: `SHA-256(0x01 || left || right)` (RFC 6962 2.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest()
}

/** Root of the tree without leaves: the hash of nothing. */
export function emptyTreeHash(): Buffer {
  return createHash('sha256').digest()
}

/** Whether two hashes are the same bytes. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
