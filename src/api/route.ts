import type { Request, Response } from 'express'
import { z } from 'zod'
import { Problem, type ProblemCode } from '../domain/problem.ts'
import type { ApiKeyScope } from '../services/access/api-key.ts'
import type { Caller } from '../services/context.ts'
import type { Identity } from './identity.ts'
import { callerOf } from './identity.ts'
import { checkForgery, checkJsonType } from './middleware/check-origin.ts'
import type { Api } from './settings.ts'

/** Who may call: everybody, a signed-in person, or either a person or a key (with a scope, or any key). */
export type Access =
  | { readonly by: 'everybody' }
  | { readonly by: 'person' }
  | { readonly by: 'personOrKey'; readonly scope: ApiKeyScope | null }

/** What a successful answer is, for the document. Without a schema it is not JSON. */
export interface AnswerSpec {
  readonly description: string
  readonly schema?: z.ZodType
  readonly contentTypes?: readonly string[]
  readonly headers?: z.ZodObject
}

/** What the verb and its view made of the question. A function writes the answer itself (streams). */
export type Answer =
  | {
      readonly status: number
      readonly body: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  | ((response: Response) => Promise<void> | void)

/** A question that has passed its schemas. */
export interface Question<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  readonly response: Response
  readonly identity: Identity | null
}

/** A question of somebody who is known. */
export interface CallersQuestion<Params, Query, Body> extends Question<Params, Query, Body> {
  readonly identity: Identity
  readonly caller: Caller
}

interface Shape<Params, Query, Body> {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Express path, `/v1/runs/:id` */
  readonly path: string
  readonly summary: string
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** `body` is for the document: the verb judges it itself, the same on every channel, and records its refusals */
  readonly bodyIsJudgedByVerb?: true
  /** further request headers, for the document */
  readonly headers?: z.ZodObject
  readonly answers: Readonly<Record<number, AnswerSpec>>
  /** beyond those that every operation may answer with */
  readonly problems?: readonly ProblemCode[]
}

/** One operation: schemas → verb → view, and its entry in the OpenAPI document. */
export interface Route extends Shape<unknown, unknown, unknown> {
  readonly access: Access
  readonly answer: (api: Api, request: Request, response: Response) => Promise<Answer>
}

/** An operation for callers who are known. State-changing calls with a cookie pass the forgery check. */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  operation: Shape<Params, Query, Body> & {
    readonly access: Exclude<Access, { by: 'everybody' }>
    readonly answer: (
      api: Api,
      question: CallersQuestion<Params, Query, Body>,
    ) => Promise<Answer> | Answer
  },
): Route {
  return {
    ...operation,
    answer: async (api, request, response) => {
      const identity = admit(operation.access, identityOf(response))
      if (operation.method !== 'get' && identity.kind === 'session') {
        checkForgery(request, api.settings.publicUrl, identity.session.csrfToken)
      }
      const asked = ask(operation, request, response)
      return operation.answer(api, { ...asked, identity, caller: callerOf(identity, request) })
    },
  }
}

/** An operation that needs no session: health, and those that start one. */
export function openRoute<Params = unknown, Query = unknown, Body = unknown>(
  operation: Shape<Params, Query, Body> & {
    readonly answer: (api: Api, question: Question<Params, Query, Body>) => Promise<Answer> | Answer
  },
): Route {
  return {
    ...operation,
    access: { by: 'everybody' },
    answer: async (api, request, response) => {
      if (operation.method !== 'get') checkJsonType(request)
      const asked = ask(operation, request, response)
      return operation.answer(api, { ...asked, identity: identityOf(response) })
    },
  }
}

function identityOf(response: Response): Identity | null {
  return (response.locals['identity'] as Identity | undefined) ?? null
}

/** Rejects nobody with `unauthenticated`, a key without the scope with `forbidden`. */
export function admit(
  access: Exclude<Access, { by: 'everybody' }>,
  identity: Identity | null,
): Identity {
  if (identity === null) {
    throw new Problem('unauthenticated', 'Sign in, or send authorization: Bearer with an API key')
  }
  if (identity.kind === 'session') return identity
  if (access.by === 'person') {
    throw new Problem('forbidden', 'This is for people; no API key can do it')
  }
  if (access.scope !== null && !identity.key.scopes.has(access.scope)) {
    throw new Problem('forbidden', `This API key lacks the scope ${access.scope}`)
  }
  return identity
}

function ask<Params, Query, Body>(
  operation: Shape<Params, Query, Body>,
  request: Request,
  response: Response,
): Omit<Question<Params, Query, Body>, 'identity'> {
  // Nothing that could be read as a body is read past: a verb that takes none says so.
  const body = operation.body ?? (nothing as z.ZodType<Body>)
  // No body and `{}` are the same; `null` is a body.
  const given: unknown = request.body === undefined ? {} : request.body
  const query = operation.query ?? (nothing as z.ZodType<Query>)
  return {
    params: parseParams(operation.params, request.params),
    query: query.parse(request.query),
    body: operation.bodyIsJudgedByVerb ? (given as Body) : body.parse(given),
    request,
    response,
  }
}

const nothing: z.ZodType = z.strictObject({})

/** A path that names nothing that could exist is `404`, like one that names nothing that does. */
function parseParams<Params>(schema: z.ZodType<Params> | undefined, params: unknown): Params {
  if (schema === undefined) return undefined as Params
  const parsed = schema.safeParse(params)
  if (!parsed.success) {
    throw new Problem(
      'not_found',
      `There is nothing under this path: ${whyNot(parsed.error, params)}`,
    )
  }
  return parsed.data
}

/** Which part of the path names nothing, in words; the part is cut, since a caller may send kilobytes. */
function whyNot(error: z.ZodError, params: unknown): string {
  const [issue] = error.issues
  const name = String(issue?.path[0])
  const given = new Map(Object.entries(params ?? {})).get(name)
  return `${JSON.stringify(String(given).slice(0, 80))} ${issue?.message ?? 'is wrong'}`
}
