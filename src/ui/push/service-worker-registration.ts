import { scriptAddress } from '../api/script-address.ts'

/** The only address that this Trusted Types policy makes (security.md 19). */
const address = scriptAddress('countersign-service-worker', '/service-worker.js')

/** Installs the service worker once; `null`: the browser does not support it or refuses. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator)) return null
  try {
    return await navigator.serviceWorker.register(address)
  } catch {
    return null
  }
}
