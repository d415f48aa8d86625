import { Router, type RequestHandler } from 'express'
import serveFiles from 'express-static-gzip'
import { join } from 'node:path'
import { isDashboardPage } from '#domain/is-dashboard-page.ts'

/** Pages of the documentation, which the build makes of `docs/`. */
const documentation = /^\/docs(?:\/decisions)?(?:\/[\w-]+)?\/?$/

/**
 * Files that the build compressed are sent as they are (`NAME.br`, `NAME.gz`): nothing is
 * compressed during a request.
 */
const precompressed = { enableBrotli: true, orderPreference: ['br', 'gzip'], index: false }

/**
 * Serves the built dashboard. Hashed files may be cached for a year; the page itself is revalidated
 * every time. Any other path gets the page, since the dashboard does its own routing; with `404`,
 * and only for browsers, when it has no such page. No path is redirected, not even that of a
 * folder: browsers read the address `/\host/..` as another host.
 */
export function serveDashboard(uiDir: string): RequestHandler {
  const router = Router()
  const assets = { immutable: true, maxAge: '365d', redirect: false }
  router.use(
    '/assets',
    serveFiles(join(uiDir, 'assets'), { ...precompressed, serveStatic: assets }),
  )
  const revalidated = { maxAge: 0, etag: true, redirect: false }
  const files = serveFiles(uiDir, { ...precompressed, serveStatic: revalidated })
  router.get(documentation, (request, response, next) => {
    const { url } = request
    const path = request.path.replace(/\/$/, '')
    request.url = `${path === '/docs' ? '/docs/index' : path}.html`
    response.set('cache-control', 'no-cache')
    files(request, response, (error?: unknown) => {
      request.url = url
      next(error)
    })
  })
  router.use(files)
  router.get(/.*/, (request, response, next) => {
    // A missing file is an error, and not the page under its name.
    if (request.path.startsWith('/assets/')) return next()
    const isPage = isDashboardPage(request.path)
    // Programs accept anything, and get a problem instead of a page.
    if (request.accepts(isPage ? ['html'] : ['json', 'html']) !== 'html') return next()
    response.set('cache-control', 'no-cache').status(isPage ? 200 : 404)
    const { url } = request
    request.url = '/index.html'
    files(request, response, (error?: unknown) => {
      request.url = url
      next(error)
    })
  })
  return router
}
