/** A cache that both the page and its service worker can read, unlike local storage. */
const cacheName = 'countersign-session'
const entry = '/session-proof'

/** Stores the proof of the session for the service worker (security.md 39). */
export async function storeProof(proof: string): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.put(entry, new Response(proof))
}

/** The stored proof; `null`: nobody is signed in. */
export async function readProof(): Promise<string | null> {
  const storedAnswer = await caches.match(entry, { cacheName })
  return storedAnswer === undefined ? null : storedAnswer.text()
}

/** Deletes the stored proof, so that the service worker can read nothing any more. */
export async function deleteProof(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(cacheName)
}
