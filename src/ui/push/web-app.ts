import { watchPermission } from '../notices/watch-permission.ts'
import { isPushWithdrawn, renewPush } from './push-setting.ts'
import { registerServiceWorker } from './service-worker-registration.ts'

/**
 * Starts the installed app for a signed-in person: the colour of its bar, the service worker, and
 * push if it was turned on. Returns a function that stops it.
 */
export function startWebApp(personId: string): () => void {
  const stopColouring = colourBrowserBar()
  if (!('serviceWorker' in navigator)) return stopColouring
  // An error is not reported, because the next page tries again and the account page shows the
  // state.
  const renew = (): Promise<void> => renewPush(personId).catch(() => undefined)
  void registerServiceWorker().then(renew)
  // A browser ends its subscription when its permission is withdrawn.
  const end = new AbortController()
  let wasWithdrawn = isPushWithdrawn(personId)
  watchPermission(() => {
    const isWithdrawn = isPushWithdrawn(personId)
    if (wasWithdrawn && !isWithdrawn) void renew()
    wasWithdrawn = isWithdrawn
  }, end.signal)
  return () => {
    end.abort()
    stopColouring()
  }
}

/**
 * Gives the bar of the browser or of the installed app the colour of the page, even if the person
 * has chosen another scheme than that of the system. Returns a function that stops it.
 */
function colourBrowserBar(): () => void {
  const root = document.documentElement
  const colour = (): void => {
    const background = getComputedStyle(root).getPropertyValue('--bg')
    for (const bar of document.querySelectorAll('meta[name="theme-color"]')) {
      bar.setAttribute('content', background)
    }
  }
  colour()
  const observer = new MutationObserver(colour)
  observer.observe(root, { attributeFilter: ['data-mantine-color-scheme'] })
  return () => observer.disconnect()
}
