import type { Request, Response } from 'express'
import { z } from 'zod'
import type { OutputOf } from '../schemas/output-of.ts'
import type { Json } from '#domain/json/json.ts'
import { Problem, type ProblemCode } from '#domain/problem.ts'
import type { ApiKeyScope } from '#domain/api-key-scope.ts'
import type { UnprovenSession } from '#services/access/sessions/read-session.ts'
import { refuseUnproven } from '#services/access/sessions/refuse-unproven.ts'
import type { Caller } from '#services/core/context.ts'
import { type Identity, callerOf, channelOf } from '../identity/identity.ts'
import { invalidRequest } from '../middleware/answer-problem.ts'
import { recordingForeignPages, recordingRefusals } from './recording-refusals.ts'
import { checkForgery, checkJsonType } from './check-origin.ts'
import type { Api } from '../context/api.ts'

/** Who may call: everybody, people, or people and keys (with a scope, or any). */
export type Access =
  | { readonly by: 'everybody' }
  | { readonly by: 'person' }
  | { readonly by: 'personOrKey'; readonly scope: ApiKeyScope | null }

/** The successful answer, for the document. Without a schema it is not JSON. */
export interface AnswerSpec {
  readonly description: string
  readonly schema?: z.ZodType
  readonly contentTypes?: readonly string[]
  readonly headers?: z.ZodObject
}

/** The result of the verb and its view. A function writes the answer itself (streams). */
export type Answer =
  | {
      readonly status: number
      readonly body: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  | ((response: Response) => Promise<void> | void)

/** The input of an operation, which has passed its schemas. */
export interface OperationInput<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  readonly response: Response
  readonly identity: Identity | null
}

/** The same with the identified caller. */
export interface CallerInput<Params, Query, Body> extends OperationInput<Params, Query, Body> {
  readonly identity: Identity
  readonly caller: Caller
}

/** The schemas of an operation's input. */
interface Schemas<Params, Query, Body, Judged> {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /**
   * `body` is for the document: the verb judges it itself, the same on every channel, and records
   * its refusals
   */
  readonly bodyIsJudgedByVerb?: Judged
}

/**
 * What an operation declares. Its type keeps each schema's own, from which clients take theirs
 * (operations.ts).
 */
interface Shape<Name, Method, Path, Params, Query, Body, Answers, Judged> extends Schemas<
  Params,
  Query,
  Body,
  Judged
> {
  readonly method: Method
  /** Express path, `/v1/runs/:id` */
  readonly path: Path
  /** the operation's name in the document, from which clients are generated: it never changes */
  readonly name: Name
  /** verb and noun, such as "Claim a request" */
  readonly summary: string
  /** what else a caller must know, a sentence without its full stop */
  readonly description?: string
  /** further request headers, for the document */
  readonly headers?: z.ZodObject
  readonly answers: Answers
  /** beyond those that every operation may answer with */
  readonly problems?: readonly ProblemCode[]
  /** codes that it answers with under another status than their usual one, by that status */
  readonly problemsAt?: Readonly<Record<number, readonly ProblemCode[]>>
}

type Method = 'get' | 'post' | 'put' | 'delete'
type Answers = Readonly<Record<number, AnswerSpec>>

/** One operation: schemas → verb → view, and its entry in the OpenAPI document. */
export interface Route<
  N extends string = string,
  M extends Method = Method,
  P extends string = string,
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  A extends Answers = Answers,
> extends Shape<N, M, P, Params, Query, Body, A, boolean> {
  readonly access: Access
  readonly answer: (api: Api, request: Request, response: Response) => Promise<Answer>
}

/** A body for its verb: parsed, or as received where the verb judges it. */
type BodyOf<Body, Judged> = Judged extends true ? Json : OutputOf<Body>

/** An operation for identified callers. Changes with a cookie pass the forgery check. */
export function route<
  const N extends string,
  const M extends Method,
  const P extends string,
  const A extends Answers,
  Params extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof nothing,
  const Judged extends boolean = false,
>(
  operation: Shape<N, M, P, Params, Query, Body, A, Judged> & {
    readonly access: Exclude<Access, { by: 'everybody' }>
    readonly answer: (
      api: Api,
      input: CallerInput<z.output<Params>, OutputOf<Query>, BodyOf<Body, Judged>>,
    ) => Promise<Answer> | Answer
  },
): Route<N, M, P, Params, Query, Body, A> {
  return {
    ...operation,
    answer: (api, request, response) =>
      recordingRefusals(api, operation, request, identityOf(response), async () => {
        await refuseCookieAlone(api, request, response)
        const identity = admit(operation.access, identityOf(response))
        if (operation.method !== 'get' && identity.kind === 'session') {
          checkForgery(request, api.settings.publicUrl, identity.session.csrfToken)
        }
        const input = parseInput(operation, request, response)
        return operation.answer(api, { ...input, identity, caller: callerOf(identity, request) })
      }),
  }
}

/** An operation that needs no session: health, and those that start one. */
export function openRoute<
  const N extends string,
  const M extends Method,
  const P extends string,
  const A extends Answers,
  Params extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(
  operation: Shape<N, M, P, Params, Query, Body, A, false> & {
    readonly answer: (
      api: Api,
      input: OperationInput<z.output<Params>, OutputOf<Query>, OutputOf<Body>>,
    ) => Promise<Answer> | Answer
  },
): Route<N, M, P, Params, Query, Body, A> {
  return {
    ...operation,
    access: { by: 'everybody' },
    answer: (api, request, response) =>
      recordingForeignPages(api, operation, request, async () => {
        if (operation.method !== 'get') checkJsonType(request)
        const input = parseInput(operation, request, response)
        return operation.answer(api, { ...input, identity: identityOf(response) })
      }),
  }
}

/** Refuses, with its own problem, a session cookie without the session's proof. */
async function refuseCookieAlone(api: Api, request: Request, response: Response): Promise<void> {
  const cookieSession = response.locals['unproven'] as
    | { readonly unproven: UnprovenSession; readonly isRecorded: () => boolean }
    | undefined
  if (cookieSession === undefined) return
  const { unproven, isRecorded } = cookieSession
  const channel = channelOf(request)
  await refuseUnproven(api.ctx, { unproven, channel, isRecorded: isRecorded() })
}

function identityOf(response: Response): Identity | null {
  return (response.locals['identity'] as Identity | undefined) ?? null
}

/** Throws `unauthenticated` for unidentified callers, `forbidden` for keys that may not do this. */
export function admit(
  access: Exclude<Access, { by: 'everybody' }>,
  identity: Identity | null,
): Identity {
  if (identity === null) {
    throw new Problem('unauthenticated', 'Sign in, or send authorization: Bearer with an API key')
  }
  if (identity.kind === 'session') return identity
  if (access.by === 'person') {
    throw new Problem('forbidden', 'Only people can do this, not API keys: sign in')
  }
  if (access.scope !== null && !identity.key.scopes.has(access.scope)) {
    throw new Problem('forbidden', `This API key lacks the scope ${access.scope}`)
  }
  return identity
}

function parseInput<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Judged extends boolean,
>(operation: Schemas<Params, Query, Body, Judged>, request: Request, response: Response) {
  // A body for a verb without one is refused, not ignored.
  const body = operation.body ?? nothing
  // No body and `{}` are the same; `null` is a body.
  const requestBody: unknown = request.body === undefined ? {} : request.body
  const query = operation.query ?? nothing
  return {
    params: parseParams(operation.params, request.params) as z.output<Params>,
    // Neither JSON nor an address has `undefined`, and no schema here makes one.
    query: parseQuery(query, request.query) as OutputOf<Query>,
    body: (operation.bodyIsJudgedByVerb ? requestBody : body.parse(requestBody)) as BodyOf<
      Body,
      Judged
    >,
    request,
    response,
  }
}

const nothing = z.strictObject({})

function parseQuery(schema: z.ZodType, query: unknown): unknown {
  const result = schema.safeParse(query)
  if (!result.success) throw invalidRequest(result.error, 'query')
  return result.data
}

/** A path that cannot name anything is `404`, like one that names nothing that exists. */
function parseParams(schema: z.ZodType | undefined, params: unknown): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(params)
  if (!result.success) {
    throw new Problem('not_found', `This path does not exist: ${whyNot(result.error, params)}`)
  }
  return result.data
}

/** Which part of the path names nothing. It is cut, since callers may send kilobytes. */
function whyNot(error: z.ZodError, params: unknown): string {
  const [issue] = error.issues
  const name = String(issue?.path[0])
  const value = new Map(Object.entries(params ?? {})).get(name)
  return `${JSON.stringify(String(value).slice(0, 80))} ${issue?.message ?? 'is wrong'}`
}
