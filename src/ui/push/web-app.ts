import { openedPath } from './opened-path.ts'
import { renewPush } from './push-setting.ts'
import { registerServiceWorker } from './service-worker-registration.ts'

/**
 * What makes the dashboard an installed app, for a person who is signed in: its service worker, a
 * page for each notification that is clicked, and push where they had turned it on. Returns how to
 * end it.
 */
export function startWebApp(personId: string, open: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined
  const listen = (event: MessageEvent): void => {
    const path = openedPath(event.data)
    if (path !== null) open(path)
  }
  navigator.serviceWorker.addEventListener('message', listen)
  navigator.serviceWorker.startMessages()
  // What fails here is tried again with the next page; the account page says what is on.
  void registerServiceWorker().then(() => renewPush(personId).catch(() => undefined))
  return () => navigator.serviceWorker.removeEventListener('message', listen)
}
