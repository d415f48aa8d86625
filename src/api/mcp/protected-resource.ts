import type { RequestHandler } from 'express'
import { Problem } from '#domain/problem.ts'
import { gatewayScopes } from '#services/access/api-keys/api-key.ts'
import { mcpPath, permissionPath } from './mcp-path.ts'
import type { Api } from '../context/api.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

/** The paths of RFC 9728 for the metadata of the resources `/mcp` and `/mcp/NAME`. */
export const protectedResourcePaths = [
  `${wellKnown}${permissionPath}`,
  `${wellKnown}${mcpPath}`,
] as const

/** Names of servers; others are never written into an address. */
const serverName = /^[\w-]{1,64}$/

/**
 * Answers the metadata of a gateway's address (RFC 9728): that it takes bearer tokens in the
 * header, for what, and which provider issues them where people sign in at one. Without one, tokens
 * are API keys, which no server issues. It is the same for every name, so that nobody learns which
 * servers exist.
 */
export function protectedResource({ ctx, settings, identityProviderOf }: Api): RequestHandler {
  const { publicUrl } = settings
  return async (request, response) => {
    const path = resourcePath(request.params['server'])
    if (path === null) {
      throw new Problem('not_found', 'There is no resource of this name')
    }
    const { oidc } = (await ctx.policies.inForce()).config.signIn
    const isIssued = oidc !== null && identityProviderOf !== undefined
    response.set('cache-control', 'public, max-age=300')
    // It has no secret: a page of another origin may read it, though it may not call `/mcp`.
    response.set('access-control-allow-origin', '*')
    response.json({
      resource: new URL(path, publicUrl).href,
      resource_name: 'Countersign',
      ...(isIssued ? { authorization_servers: [oidc.issuer] } : {}),
      bearer_methods_supported: ['header'],
      scopes_supported: gatewayScopes,
      resource_documentation: new URL('/docs/mcp-gateway', publicUrl).href,
    })
  }
}

/**
 * For a call to `/mcp` or `/mcp/NAME`, records the resource for which access tokens must be issued,
 * and the challenge that names its metadata. A token in the address, where logs and proxies see it,
 * is refused (RFC 6750).
 */
export function nameProtectedResource(publicUrl: string): RequestHandler {
  return (request, response, next) => {
    const [, server = ''] = request.path.split('/')
    const path = resourcePath(server === '' ? undefined : server)
    if (path !== null) {
      const metadata = new URL(`${wellKnown}${path}`, publicUrl).href
      const scope = gatewayScopes.join(' ')
      response.locals['resource'] = new URL(path, publicUrl).href
      response.locals['challenge'] = `Bearer resource_metadata="${metadata}", scope="${scope}"`
    }
    if (request.query['access_token'] !== undefined) {
      const sentence = 'Send the token in the authorization header. Revoke the one in the address'
      throw new Problem('invalid_request', sentence, {}, { status: 400 })
    }
    next()
  }
}

/** The path of a server's address, or of the permission tool; `null`: the name is none. */
function resourcePath(server: unknown): string | null {
  if (server === undefined) return permissionPath
  return typeof server === 'string' && serverName.test(server) ? `/mcp/${server}` : null
}
