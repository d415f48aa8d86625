import { answerAsset, answerNavigation, keepShell } from './offline-shell.ts'
import { openNotice } from './open-notice.ts'
import { showPush } from './show-push.ts'

declare const self: ServiceWorkerGlobalScope

/** Navigations that sign in at a provider, and those to the documentation. */
const isNoPage = /^\/(?:v1|docs)(?:\/|$)/

/**
 * The dashboard's service worker: the shell of the app without a connection, and notifications.
 * What the API answers passes it by.
 */
self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && !isNoPage.test(pathname)) {
    event.respondWith(answerNavigation(request, (work) => event.waitUntil(work)))
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(answerAsset(request))
  }
})

self.addEventListener('push', (event) => event.waitUntil(showPush(self, event.data)))
self.addEventListener('notificationclick', (event) => {
  event.waitUntil(openNotice(self, event.notification))
})
