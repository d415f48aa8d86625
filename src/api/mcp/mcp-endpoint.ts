import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { RequestHandler, Response } from 'express'
import { Problem } from '#domain/problem.ts'
import { gatewayScopes } from '#services/access/api-keys/api-key.ts'
import { callerOf, type Identity } from '../identity/identity.ts'
import type { Api } from '../context/api.ts'
import type { McpMessage } from '../context/mcp-message.ts'
import { isStillKnown } from '../held-open/hold-stream.ts'
import { refuseForeignOrigin } from '../route/check-origin.ts'
import { recordingRefusals, type Attempt } from '../route/recording-refusals.ts'
import { permissionQuery } from '../schemas/requests/hooks.ts'
import { gatewayServer } from './gateway-server.ts'
import { mcpPath, permissionPath } from './mcp-path.ts'
import { permissionServer } from './permission-server.ts'

/**
 * Serves the Model Context Protocol over HTTP: 2026-07-28 without sessions, and clients that open
 * with `initialize`, each message on its own. At `/mcp/NAME` are the tools of a server, at `/mcp`
 * the permission tool. For programs with a key that may ask and read, or an access token of the
 * sign-in provider; the owner is behind their requests. Rejects with `csrf_failed` for a page of
 * another site, `unauthenticated`, `forbidden`, `not_found` or `invalid_request`.
 */
export function mcpEndpoint(api: Api): RequestHandler {
  return async (request, response) => {
    const identity = response.locals['identity'] as Identity | undefined
    const name = request.params['server']
    const endpoint = name === undefined ? permissionPath : mcpPath
    const attempt: Attempt = (what, answer) => {
      const operation = { method: request.method.toLowerCase(), path: `${endpoint}${what}` }
      return recordingRefusals(api, operation, request, identity ?? null, answer)
    }
    const record = (message: McpMessage): void => {
      response.locals['mcpMessage'] = message
    }
    const { isHeld, serve } = await attempt('', async () => {
      refuseForeignOrigin(request, api.settings.publicUrl)
      const program = requireProgram(identity, response)
      const caller = callerOf(program, request)
      if (name === undefined) {
        const settings = permissionQuery.parse(request.query)
        const isKnown = () => isStillKnown(api, request, program)
        const message = { settings, request, response, isKnown, attempt, record }
        return { isHeld: true, serve: () => permissionServer(api, caller, message) }
      }
      const { config } = await api.ctx.policies.inForce()
      const named = config.mcpServers.get(typeof name === 'string' ? name : '')
      if (named === undefined) throw new Problem('not_found', 'There is no MCP server of this name')
      return { isHeld: false, serve: () => gatewayServer(api, caller, named, { record, attempt }) }
    })
    const handler = createMcpHandler(serve, {
      // There are no notifications: clients find changes by asking again.
      maxSubscriptions: 0,
      // An answer that may take an hour begins at once, or the client would give it up.
      ...(isHeld ? { responseMode: 'sse' } : {}),
      onerror: (error) => api.ctx.log.warn({ err: error }, 'A message to the gateway failed'),
    })
    await toNodeHandler(handler)(request, response, request.body)
  }
}

function requireProgram(identity: Identity | undefined, response: Response): Identity {
  if (identity === undefined) {
    throw new Problem(
      'unauthenticated',
      'Send authorization: Bearer with an API key, or an access token',
    )
  }
  if (identity.kind !== 'key') {
    throw new Problem('forbidden', 'This is for programs: send an API key, not a session')
  }
  for (const scope of gatewayScopes) {
    if (identity.key.scopes.has(scope)) continue
    const challenge = String(response.locals['challenge'])
    response.set('www-authenticate', `${challenge}, error="insufficient_scope"`)
    throw new Problem('forbidden', `This API key or access token lacks the scope ${scope}`)
  }
  return identity
}
