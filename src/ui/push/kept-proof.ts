/** A store of this origin that its service worker reads too; local storage is the page's alone. */
const cacheName = 'countersign-session'
const entry = '/session-proof'

/** Lets the service worker prove the session as the page does (security.md 39). */
export async function keepProof(proof: string): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.put(entry, new Response(proof))
}

/** The proof that the page keeps for the service worker; `null`: nobody is signed in. */
export async function readKeptProof(): Promise<string | null> {
  const cached = await caches.match(entry, { cacheName })
  return cached === undefined ? null : cached.text()
}

/** Forgets it: the service worker reads nothing any more. */
export async function forgetKeptProof(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(cacheName)
}
