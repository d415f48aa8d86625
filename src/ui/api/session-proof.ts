const name = 'countersign-session'

/** Where storage is closed to this page: as long as it stays open. */
let unstored: string | null = null

/**
 * What this origin proves its session with: a random token in its own storage, sent with every
 * call. The session's cookie goes to every port of the host; this goes to ours alone (security.md
 * 39). Made when there is none; all tabs have the same.
 */
export function sessionProof(): string {
  try {
    const stored = localStorage.getItem(name)
    if (stored !== null) return stored
    const created = newProof()
    localStorage.setItem(name, created)
    return created
  } catch {
    unstored ??= newProof()
    return unstored
  }
}

/** SHA-256 of it, in hex: what a sign-in at a provider carries through addresses. */
export async function sessionProofHash(): Promise<string> {
  const bytes = new TextEncoder().encode(sessionProof())
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Whoever signs out leaves nothing here: the next session is proved with another token. */
export function forgetSessionProof(): void {
  unstored = null
  try {
    localStorage.removeItem(name)
  } catch {
    // Nothing was stored.
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
