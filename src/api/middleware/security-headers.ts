import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * Content policy of every answer: own scripts and styles only, no framing, and no text ever becomes
 * markup, since no policy for trusted types may exist (security.md 19).
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
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    strictTransportSecurity: publicUrl.startsWith('https://'),
    xFrameOptions: { action: 'deny' },
  })
}
