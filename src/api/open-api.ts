import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { problemStatus, type ProblemCode } from '../domain/problem.ts'
import type { Route } from './route.ts'
import { problem } from './schemas/problem.ts'

/** Refusals that any operation may answer with. */
const always: readonly ProblemCode[] = [
  'invalid_request',
  'host_not_allowed',
  'rate_limited',
  'unavailable',
  'internal',
]
const ofCallers: readonly ProblemCode[] = ['unauthenticated', 'forbidden']
const ofWrites: readonly ProblemCode[] = ['csrf_failed', 'unsupported_media_type', 'too_large']

/** The OpenAPI 3.1 document, made from the very schemas that validate. */
export function openApiDocument(routes: readonly Route[], version: string) {
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/[:*](\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operationOf(route, path) }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description: 'Agents whose risky calls wait until a different person has approved them',
    },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-countersign' },
        key: { type: 'http', scheme: 'bearer', description: 'cs_<id>_<secret>' },
      },
    },
  }
  return createDocument(document, {
    allowEmptySchema: { custom: true },
    override: ({ jsonSchema, io }) => {
      // More fields may be added to answers (api.md).
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties
      }
    },
  })
}

function operationOf(route: Route, path: string): ZodOpenApiOperationObject {
  return {
    operationId: operationId(route.method, path),
    summary: route.summary,
    security: securityOf(route),
    requestParams: {
      ...(route.params instanceof z.ZodObject ? { path: route.params } : {}),
      ...(route.query instanceof z.ZodObject ? { query: route.query } : {}),
      ...(route.headers === undefined ? {} : { header: route.headers }),
    },
    ...(route.body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: route.body } } } }),
    responses: { ...refusals(route), ...successes(route) },
  }
}

function securityOf(route: Route) {
  if (route.access.by === 'everybody') return []
  const session = { session: [] }
  return route.access.by === 'person' ? [session] : [session, { key: [] }]
}

function successes(route: Route) {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        ...(answer.headers === undefined ? {} : { headers: answer.headers }),
        content:
          answer.schema === undefined
            ? Object.fromEntries(
                (answer.contentTypes ?? []).map((type) => [type, { schema: z.string() }]),
              )
            : { 'application/json': { schema: answer.schema } },
      },
    ]),
  )
}

function refusals(route: Route) {
  const codes = new Set<ProblemCode>([
    ...always,
    ...(route.access.by === 'everybody' ? [] : ofCallers),
    ...(route.method === 'get' ? [] : ofWrites),
    ...(route.params === undefined ? [] : (['not_found'] as const)),
    ...(route.problems ?? []),
  ])
  const byStatus = Map.groupBy(codes, (code) => problemStatus[code])
  return Object.fromEntries(
    [...byStatus].map(([status, ones]) => [
      String(status),
      {
        description: ones.map((code) => `\`${code}\``).join(', '),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  )
}

/** `postRequestsIdDecisions`: stable, and made of what is there already. */
function operationId(method: string, path: string): string {
  const words = path.replace(/^\/v1/, '').match(/\w+/g) ?? []
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
