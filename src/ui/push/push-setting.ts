import { callApi } from '../api/call-api.ts'
import { sessionProof } from '../api/session-proof.ts'
import type { NoticesState } from '../notices/notices-setting.ts'
import { deleteProof, storeProof } from './session-proof-cache.ts'
import { registerServiceWorker } from './service-worker-registration.ts'

/** The key in local storage for the person who turned push on in this browser. */
const key = 'countersign.push'

/** The state of push in this browser for a person; `off` until they turn it on. */
export function pushState(personId: string): NoticesState {
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window
  if (!isSupported || !('Notification' in window)) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && turnedOnBy() === personId ? 'on' : 'off'
}

/**
 * Turns push on: asks the browser for permission, which needs a click, subscribes and tells the
 * service. Returns the new state. Rejects with the error of the browser or the service.
 */
export async function turnPushOn(personId: string): Promise<NoticesState> {
  if (Notification.permission !== 'granted') await Notification.requestPermission()
  if (Notification.permission !== 'granted') return pushState(personId)
  await subscribe()
  localStorage.setItem(key, personId)
  return pushState(personId)
}

/** Turns push off in this browser and at the service. Returns the new state. */
export async function turnPushOff(personId: string): Promise<NoticesState> {
  localStorage.removeItem(key)
  await deleteProof()
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  const endpoint = subscription?.endpoint
  await callApi('deletePushSubscription', { body: endpoint === undefined ? {} : { endpoint } })
  await subscription?.unsubscribe()
  return pushState(personId)
}

/**
 * Subscribes again if the person turned push on in this browser. Subscriptions end with their
 * session and when the permission for notifications is withdrawn, and browsers renew them.
 */
export async function renewPush(personId: string): Promise<void> {
  if (pushState(personId) !== 'on') return
  await subscribe()
}

/** Whether the person turned push on, and the browser no longer permits notifications. */
export function isPushWithdrawn(personId: string): boolean {
  return turnedOnBy() === personId && pushState(personId) !== 'on'
}

function turnedOnBy(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

async function subscribe(): Promise<void> {
  if ((await registerServiceWorker()) === null)
    throw new Error('This browser has no service worker')
  const { pushManager } = await navigator.serviceWorker.ready
  const { publicKey, items } = await callApi('listPushSubscriptions')
  const present = await pushManager.getSubscription()
  // A subscription for another key is from another installation, or from before the key was
  // replaced.
  if (present !== null && keyOf(present) !== publicKey) await present.unsubscribe()
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { endpoint, expirationTime, keys } = subscription.toJSON()
  const { p256dh, auth } = keys ?? {}
  if (endpoint === undefined || p256dh === undefined || auth === undefined) {
    throw new Error('This browser subscribed without keys')
  }
  const isKnown = items.some((item) => item.current && item.endpoint === endpoint)
  const body = { endpoint, expirationTime: expirationTime ?? null, keys: { p256dh, auth } }
  if (!isKnown) await callApi('createPushSubscription', { body })
  await storeProof(sessionProof())
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
