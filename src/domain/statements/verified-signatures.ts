import { hash, type KeyObject } from 'node:crypto'

/**
 * Signatures that one key has verified: of each, the hash of the bytes that it signs. The texts
 * themselves would take several times as much memory.
 */
type Signatures = Map<string, string>

/** Those since the last change of generation, and those of the generation before it. */
interface Generations {
  recent: Signatures
  earlier: Signatures
}

const generationsOf = new WeakMap<KeyObject, Generations>()
const maxRecent = 4000

/** Whether this key has verified this signature of these bytes, in this process, not long ago. */
export function isVerified(key: KeyObject, signature: string, bytes: Uint8Array): boolean {
  const generations = generationsOf.get(key)
  const digest = generations?.recent.get(signature) ?? generations?.earlier.get(signature)
  if (digest === undefined || digest !== digestOf(bytes)) return false
  // What is used stays, since each request is judged and read several times.
  if (generations?.recent.has(signature) === false) remember(key, signature, digest)
  return true
}

/** Remembers a valid signature. At least 4,000 of a key are kept, and at most 8,000. */
export function rememberVerified(key: KeyObject, signature: string, bytes: Uint8Array): void {
  remember(key, signature, digestOf(bytes))
}

function remember(key: KeyObject, signature: string, digest: string): void {
  const generations = generationsOf.get(key) ?? { recent: new Map(), earlier: new Map() }
  generationsOf.set(key, generations)
  if (generations.recent.size >= maxRecent) {
    generations.earlier = generations.recent
    generations.recent = new Map()
  }
  generations.recent.set(signature, digest)
}

function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url')
}
