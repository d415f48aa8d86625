import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * Content policy of every answer: own scripts only, no framing, trusted types (security.md 19). Styles may be
 * inline since the component library computes some; scripts never. The one policy for trusted types that may
 * exist is the dashboard's own, named `default`.
 */
export function securityHeaders(publicUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ['default'],
      },
    },
    strictTransportSecurity: publicUrl.startsWith('https://'),
    xFrameOptions: { action: 'deny' },
  })
}
