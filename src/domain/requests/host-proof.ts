import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A proof that only readers of `DATA/run/host-proof` can make of a folder's real path: HMAC-SHA-256
 * with the bytes of that file over the path's UTF-8, in lower-case hex (product.md 46).
 */
export function hostProof(key: Uint8Array, folder: string): string {
  return createHmac('sha256', key).update(folder, 'utf8').digest('hex')
}

/** Whether a proof is valid for this folder, compared in constant time. */
export function isHostProof(key: Uint8Array, folder: string, proof: string): boolean {
  const [right, providedProof] = [Buffer.from(hostProof(key, folder)), Buffer.from(proof)]
  return right.length === providedProof.length && timingSafeEqual(right, providedProof)
}

/** An id of a key that does not reveal it, to compare whether two hosts have the same. */
export function hostProofId(key: Uint8Array): string {
  return createHash('sha256').update('countersign/host-proof/v1\0').update(key).digest('hex')
}
