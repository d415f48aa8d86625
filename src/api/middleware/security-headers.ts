import type { RequestHandler } from 'express'
import helmet from 'helmet'

/** The one policy for trusted types: it makes the address of our service worker, nothing else. */
const serviceWorkerPolicy = 'countersign-service-worker'
/** Makes the address of the worker that colours code, and no other. */
const paintWorkerPolicy = 'countersign-paint-worker'

/**
 * Content policy of every answer: own scripts and styles only, no framing, and no text ever becomes
 * markup, since no other policies for trusted types may exist (security.md 19).
 */
export function securityHeaders(publicUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // Pictures of results: fetched with the proof of the session, which no address carries.
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'"],
        workerSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: [serviceWorkerPolicy, paintWorkerPolicy],
      },
    },
    strictTransportSecurity: publicUrl.startsWith('https://'),
    xFrameOptions: { action: 'deny' },
  })
}
