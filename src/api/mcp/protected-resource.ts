import type { RequestHandler } from 'express'
import { Problem } from '#domain/problem.ts'

/** What a key needs for the gateway. */
export const gatewayScopes = ['requests:write', 'requests:read'] as const

/** Where RFC 9728 puts the metadata of a resource whose address has the path `/mcp/NAME`. */
export const protectedResourcePath = '/.well-known/oauth-protected-resource/mcp/:server'

/** Names of servers; others are in no address that we write. */
const serverName = /^[\w-]{1,64}$/

/**
 * Answers the metadata of a gateway's address (RFC 9728): that it takes bearer tokens in the
 * header, and for what. It names no authorization server, since the tokens are API keys that an
 * administrator makes. It is the same for every name, so that nobody learns which servers exist.
 */
export function protectedResource(publicUrl: string): RequestHandler {
  return (request, response) => {
    const { server } = request.params
    if (typeof server !== 'string' || !serverName.test(server)) {
      throw new Problem('not_found', 'There is no resource of this name')
    }
    response.set('cache-control', 'public, max-age=3600')
    // Web pages that speak MCP read it from another origin; there is nothing secret in it.
    response.set('access-control-allow-origin', '*')
    response.json({
      resource: new URL(`/mcp/${server}`, publicUrl).href,
      resource_name: 'Countersign',
      bearer_methods_supported: ['header'],
      scopes_supported: gatewayScopes,
      resource_documentation: new URL('/docs/mcp-gateway', publicUrl).href,
    })
  }
}

/** Names the metadata to whoever calls `/mcp/NAME` without a valid key. */
export function nameProtectedResource(publicUrl: string): RequestHandler {
  return (request, response, next) => {
    const [, server = ''] = request.path.split('/')
    if (serverName.test(server)) {
      const path = `/.well-known/oauth-protected-resource/mcp/${server}`
      const metadata = new URL(path, publicUrl).href
      const scope = gatewayScopes.join(' ')
      response.locals['challenge'] = `Bearer resource_metadata="${metadata}", scope="${scope}"`
    }
    next()
  }
}
