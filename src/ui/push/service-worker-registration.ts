import { scriptAddress } from '../api/script-address.ts'

/** The one address that its policy makes (security.md 19). */
const address = scriptAddress('countersign-service-worker', '/service-worker.js')

/** Installs the service worker, once; `null`: this browser has none, or refuses it. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator)) return null
  try {
    return await navigator.serviceWorker.register(address)
  } catch {
    return null
  }
}
