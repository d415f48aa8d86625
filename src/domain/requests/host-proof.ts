import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * What only who can read `DATA/run/host-proof` makes of a folder's real path: HMAC-SHA-256 with the
 * bytes of that file over the path's UTF-8, in lower-case hex (product.md 46).
 */
export function hostProof(key: Uint8Array, folder: string): string {
  return createHmac('sha256', key).update(folder, 'utf8').digest('hex')
}

/**
 * Whether a proof is the one for this folder. Takes as long for every wrong one of the same length.
 */
export function isHostProof(key: Uint8Array, folder: string, proof: string): boolean {
  const [right, providedProof] = [Buffer.from(hostProof(key, folder)), Buffer.from(proof)]
  return right.length === providedProof.length && timingSafeEqual(right, providedProof)
}

/**
 * Names a key without telling it: API and Temporal worker compare whether they have the same file.
 */
export function hostProofId(key: Uint8Array): string {
  return createHash('sha256').update('countersign/host-proof/v1\0').update(key).digest('hex')
}
