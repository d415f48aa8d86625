import { static as serveFiles, Router, type RequestHandler } from 'express'
import { join } from 'node:path'

/** The paths that the dashboard has a page for (src/ui/app.tsx); under any other it says that nothing is there. */
const pages = /^\/(?:sign-in|requests\/[^/]+|runs(?:\/[^/]+)?|audit|policy|account)?\/?$/

/**
 * The built dashboard: hashed files may be kept for a year, the page itself is asked for again each time.
 * Any other path that wants a page gets it, since the dashboard finds its own way; with `404` where it has none.
 */
export function serveDashboard(uiDir: string): RequestHandler {
  const router = Router()
  router.use(
    '/assets',
    serveFiles(join(uiDir, 'assets'), { immutable: true, maxAge: '365d', index: false }),
  )
  router.use(serveFiles(uiDir, { index: false, maxAge: 0, etag: true }))
  router.get(/.*/, (request, response, next) => {
    // A missing file is a missing file, and not the page under its name.
    if (request.path.startsWith('/assets/') || !request.accepts('html')) return next()
    response.set('cache-control', 'no-cache').status(pages.test(request.path) ? 200 : 404)
    response.sendFile('index.html', { root: uiDir }, (error?: Error) => {
      if (error !== undefined && !response.headersSent) next()
    })
  })
  return router
}
