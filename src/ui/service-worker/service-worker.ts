import { isDashboardPage } from '#domain/is-dashboard-page.ts'
import { answerAsset, answerNavigation, keepShell } from './offline-shell.ts'
import { openNotice } from './open-notice.ts'
import { showPush } from './show-push.ts'

declare const self: ServiceWorkerGlobalScope

/**
 * The dashboard's service worker: it serves the shell without a connection, and shows
 * notifications. It does not handle calls of the API.
 */
self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && isDashboardPage(pathname)) {
    event.respondWith(answerNavigation(event))
  } else if (pathname.startsWith('/assets/')) {
    const answer = answerAsset(event)
    if (answer !== null) event.respondWith(answer)
  }
})

self.addEventListener('push', (event) => event.waitUntil(showPush(self, event.data)))
self.addEventListener('notificationclick', (event) => {
  event.waitUntil(openNotice(self, event.notification))
})
