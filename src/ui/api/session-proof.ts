import { hexOf, sha256 } from './digests.ts'

const name = 'countersign-session'

/** The proof of a page without access to storage; lost when the page closes. */
let unstoredProof: string | null = null

/**
 * The proof of the session: a random token in the storage of this origin, sent with every call. The
 * cookie of the session is sent to every port of the host, and this token to this origin only
 * (security.md 39). Made if there is none; all tabs share it.
 */
export function sessionProof(): string {
  try {
    const storedProof = localStorage.getItem(name)
    if (storedProof !== null) return storedProof
    const proof = newProof()
    localStorage.setItem(name, proof)
    return proof
  } catch {
    unstoredProof ??= newProof()
    return unstoredProof
  }
}

/** SHA-256 of the proof in hex, which a sign-in at a provider carries in addresses. */
export async function sessionProofHash(): Promise<string> {
  return hexOf(await sha256(new TextEncoder().encode(sessionProof())))
}

/** Forgets the proof after a sign-out, so that the next session has another one. */
export function forgetSessionProof(): void {
  unstoredProof = null
  try {
    localStorage.removeItem(name)
  } catch {
    // Storage is not available, so nothing was stored.
  }
}

/** 32 random bytes in 43 URL-safe characters. */
function newProof(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
}
