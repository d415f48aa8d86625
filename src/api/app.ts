import express, { type Express, type RequestHandler } from 'express'
import { answerProblem } from './middleware/answer-problem.ts'
import { authenticate, limitRequests } from './middleware/authenticate.ts'
import { checkHeaders, checkHost, checkQuery } from './middleware/check-host.ts'
import { compressAnswers } from './middleware/compress-answers.ts'
import { logRequests } from './middleware/log-requests.ts'
import { readBody, readSignedBody } from './middleware/read-body.ts'
import { requestId } from './middleware/request-id.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { refuseMethod, refusePath } from './middleware/unknown-route.ts'
import { openApiDocument } from './open-api/open-api.ts'
import type { Route } from './route/route.ts'
import { allRoutes } from './routes/index.ts'
import { interactionsPath } from './routes/notifications/slack.ts'
import { decidingPaths } from './routes/requests/decisions.ts'
import { deploymentPath } from './routes/requests/deployments.ts'
import { triggerPath } from './routes/runs/triggers.ts'
import { mcpPath, permissionPath } from './mcp/mcp-path.ts'
import {
  nameProtectedResource,
  protectedResource,
  protectedResourcePaths,
} from './mcp/protected-resource.ts'
import { serveDashboard } from './middleware/serve-dashboard.ts'
import { jsonSchemaOf, schemaNames } from '#policy/schema/json-schemas.ts'
import type { Api } from './context/api.ts'

/**
 * The HTTP API and the dashboard as an Express app. It builds no clients and starts nothing; the
 * caller that listens owns it.
 * @example createServer(createApp({ ctx, settings, events, readiness })).listen(4400, '127.0.0.1')
 */
export function createApp(api: Api): Express {
  const { settings } = api
  const app = express()
  app.disable('x-powered-by')
  // Rules by path, such as those of a proxy, the log and the service worker, rely on this: the API
  // is under `/v1` only, and each operation under its own path only.
  app.enable('case sensitive routing')
  app.enable('strict routing')
  // Answers get an ETag only where the contract has one.
  app.set('etag', false)
  app.set('query parser', parseQuery)
  app.set('trust proxy', settings.trustProxy ? 1 : false)
  app.use(requestId, logRequests(api.ctx.log, api.onAnswer), securityHeaders(settings.publicUrl))
  app.use(checkHeaders, checkHost(settings.publicUrl), checkQuery, compressAnswers())

  const routes: readonly Route[] = allRoutes(settings)
  const document = JSON.stringify(openApiDocument(routes, settings))
  app.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(document)
  })
  app.all('/openapi.json', refuseMethod(['GET', 'HEAD']))
  for (const name of schemaNames) {
    const schema = JSON.stringify(jsonSchemaOf(name))
    app.get(`/schemas/${name}.schema.json`, (_request, response) => {
      response.type('application/schema+json').send(schema)
    })
    app.all(`/schemas/${name}.schema.json`, refuseMethod(['GET', 'HEAD']))
  }
  const { requestsPerSecond: perSecond } = settings
  const authenticated = ['/v1', '/metrics', '/mcp']
  // One path for each, because the metrics and spans of a call have its route as a label.
  for (const path of protectedResourcePaths) {
    app.get(path, protectedResource(api))
    app.all(path, refuseMethod(['GET', 'HEAD']))
  }
  app.use('/mcp', nameProtectedResource(settings.publicUrl))
  const identify = authenticate(api, { judgedAgain: decidingPaths, perSecond })
  app.use(authenticated, noStore, identify, ...limitRequests(perSecond))
  app.post([interactionsPath, triggerPath, deploymentPath], readSignedBody)
  app.use(authenticated, readBody)
  const mcp: RequestHandler = async (...message) => {
    // The library of the protocol is loaded with the first message: the API starts sooner.
    const { mcpEndpoint } = await import('./mcp/mcp-endpoint.ts')
    await mcpEndpoint(api)(...message)
  }
  for (const path of [permissionPath, mcpPath]) app.all(path, mcp)
  for (const route of routes) app[route.method](route.path, handlerOf(api, route))
  for (const [path, allowed] of methodsByPath(routes)) app.all(path, refuseMethod(allowed))
  app.use(
    ['/v1', '/openapi.json', '/schemas', '/healthz', '/readyz', '/metrics', '/mcp', '/.well-known'],
    refusePath,
  )
  if (settings.uiDir !== null) app.use(serveDashboard(settings.uiDir))
  app.use(refusePath)
  app.use(answerProblem(api.ctx.log))
  return app
}

function handlerOf(api: Api, route: Route): RequestHandler {
  return async (request, response) => {
    const answer = await route.answer(api, request, response)
    if (typeof answer === 'function') return answer(response)
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.set(name, value)
    response.status(answer.status).json(answer.body)
  }
}

/**
 * Each field once, as text: no arrays or objects that a schema did not foresee. A repeated field is
 * an array.
 */
function parseQuery(text: string | null | undefined): Record<string, string | string[]> {
  const byName = Map.groupBy(new URLSearchParams(text ?? ''), ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, fields]) => {
      const values = fields.map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** What people may see depends on who they are, so caches must not store it. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store')
  next()
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const byPath = Map.groupBy(routes, (route) => route.path)
  return new Map(
    [...byPath].map(([path, ones]) => [
      path,
      ones.flatMap((one) => (one.method === 'get' ? ['GET', 'HEAD'] : [one.method.toUpperCase()])),
    ]),
  )
}
