import { isSame, sha256 } from './bytes.ts'

/**
 * Whether an inclusion proof leads from an event's bytes at leaf `index` to the root of a tree with
 * `size` leaves (RFC 9162 2.1.3.2; the leaf is `SHA-256(0x00 || bytes)`). False for malformed
 * input.
 */
export async function checkInclusion(claim: {
  readonly event: Uint8Array
  readonly index: number
  readonly size: number
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array[]
}): Promise<boolean> {
  const { event, index, size, root, proof } = claim
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return false
  if (index < 0 || index >= size) return false
  let hash = await sha256(Uint8Array.of(0), event)
  let [place, last] = [index, size - 1]
  for (const beside of proof) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = await sha256(Uint8Array.of(1), beside, hash)
      // A node at the right edge has no sibling on these levels, so its hash moves up unchanged.
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else {
      hash = await sha256(Uint8Array.of(1), hash, beside)
    }
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && isSame(hash, root)
}

/** `>>` would cut numbers over 32 bits. */
function half(number: number): number {
  return Math.floor(number / 2)
}
