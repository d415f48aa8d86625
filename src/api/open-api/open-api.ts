import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { problemStatus, type ProblemCode } from '#domain/problem.ts'
import { tagOf, tags } from './tags.ts'
import type { Route } from '../route/route.ts'
import { problem } from '../schemas/common.ts'

/** Refusals that any operation may answer with. */
const always: readonly ProblemCode[] = [
  'invalid_request',
  'host_not_allowed',
  'rate_limited',
  'unavailable',
  'internal',
]
const ofCallers: readonly ProblemCode[] = ['unauthenticated', 'session_unproven', 'forbidden']
const ofWrites: readonly ProblemCode[] = ['csrf_failed', 'unsupported_media_type', 'too_large']

/** The OpenAPI 3.1 document of the service at `publicUrl`, made from the validating schemas. */
export function openApiDocument(
  routes: readonly Route[],
  { version, publicUrl }: { readonly version: string; readonly publicUrl: string },
) {
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/[:*](\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operationOf(route) }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description: 'Agents whose risky calls wait until a different person has approved them',
      contact: { name: 'The people who run this service', url: publicUrl },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: [...tags],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-countersign' },
        sessionProof: {
          type: 'apiKey',
          in: 'header',
          name: 'x-countersign-session',
          description: 'proof of the session, for a session that was started in a browser',
        },
        key: { type: 'http', scheme: 'bearer', description: 'cs_<id>_<secret>' },
      },
    },
  }
  const created = createDocument(document, {
    allowEmptySchema: { custom: true },
    override: ({ jsonSchema, zodSchema, io }) => {
      // zod leaves examples out of bodies that contain a transform (an e-mail address).
      const examples = exampleOf(zodSchema)
      if (io === 'input' && examples !== undefined) jsonSchema.examples = examples
      // More fields may be added to answers (api.md).
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties
      }
    },
  })
  openReferences(created)
  return created
}

/**
 * Removes the `additionalProperties: false` that the generator leaves beside a `$ref` with a
 * description of its own: there it would forbid every member.
 */
function openReferences(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('$ref' in value && 'additionalProperties' in value) delete value.additionalProperties
  for (const below of Object.values(value)) openReferences(below)
}

function exampleOf(schema: object): unknown[] | undefined {
  const examples = schema instanceof z.ZodType ? schema.meta()?.examples : undefined
  return Array.isArray(examples) ? examples : undefined
}

const anyOther = {
  description: 'Any other refusal',
  content: { 'application/problem+json': { schema: problem } },
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  return {
    operationId: route.name,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: `${route.description}.` }),
    tags: [tagOf(route)],
    security: securityOf(route),
    requestParams: {
      ...(route.params instanceof z.ZodObject ? { path: route.params } : {}),
      ...(route.query instanceof z.ZodObject ? { query: route.query } : {}),
      ...(route.headers === undefined ? {} : { header: route.headers }),
    },
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: refusesNoBody(route),
            content: { 'application/json': { schema: route.body } },
          },
        }),
    responses: { ...refusals(route), ...successes(route), default: anyOther },
  }
}

/** No body and `{}` are the same. The verb itself judges whether a digest is there. */
function refusesNoBody({ body, problems = [] }: Route): boolean {
  return problems.includes('digest_required') || body?.safeParse({}).success === false
}

function securityOf(route: Route) {
  if (route.access.by === 'everybody') return []
  const sessions = [{ session: [] }, { session: [], sessionProof: [] }]
  return route.access.by === 'person' ? sessions : [...sessions, { key: [] }]
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
  const elsewhere = Object.entries(route.problemsAt ?? {}).flatMap(([status, ones]) =>
    ones.map((code) => ({ status: Number(status), code })),
  )
  const usual = [...codes].map((code) => ({ status: problemStatus[code], code }))
  const byStatus = Map.groupBy([...usual, ...elsewhere], ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, ones]) => [
      String(status),
      {
        description: ones.map(({ code }) => `\`${code}\``).join(', '),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  )
}
