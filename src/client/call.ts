import type {
  OperationAnswer,
  OperationBody,
  OperationName,
  OperationParams,
  OperationQuery,
} from '#api/operations.ts'
import { operations } from './operations.ts'

/** A field of a call: required if the operation requires one of its parts, else optional. */
type Field<Name extends string, Value> = string extends keyof Value
  ? { readonly [Key in Name]?: Value }
  : Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

/** The headers that every operation takes, and the signal that aborts the call. */
interface CallOptions {
  readonly idempotencyKey?: string
  /** longest time in seconds that the answer may wait for a later stage */
  readonly preferWaitSeconds?: number
  readonly signal?: AbortSignal
  /** of a browser: the page may end before the answer */
  readonly keepalive?: boolean
}

/** What a call of an operation takes, by its route's schemas. */
type CallInput<N extends OperationName> = Field<'params', OperationParams<N>> &
  Field<'query', OperationQuery<N>> &
  Field<'body', OperationBody<N>> &
  CallOptions

/** The input may be left out where the operation needs none. */
type CallInputs<N extends OperationName> =
  Partial<CallInput<N>> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>]

/** The HTTP request of a call: `path` begins with `/v1`, `body` is JSON. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  readonly keepalive?: boolean
}

/** Calls an operation by its name and resolves to its JSON answer. It rejects as `send` does. */
type Call = <N extends OperationName>(
  name: N,
  ...input: CallInputs<N>
) => Promise<OperationAnswer<N>>

/**
 * The one way to call the API with JSON: `send` adds credentials, and turns refusals into its own
 * errors.
 *
 * @example
 * const call = callOver(send)
 * const { items } = await call('listGrants', { params: { id: runId } })
 */
export function callOver(send: (request: ApiRequest) => Promise<unknown>): Call {
  // An answer has the type of its route's schema, which test/contract holds the service to.
  return ((name: OperationName, input?: AnyInput) => send(buildRequest(name, input))) as Call
}

/** The HTTP request of an operation that answers with bytes or a stream: the caller sends it. */
export function requestOf<N extends OperationName>(name: N, ...input: CallInputs<N>): ApiRequest {
  return buildRequest(name, ...input)
}

/** The input of any operation. */
interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string | number | undefined>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

function buildRequest(name: OperationName, input: AnyInput = {}): ApiRequest {
  const { body, idempotencyKey, keepalive, params, preferWaitSeconds, query, signal } = input
  const [method = '', pattern = ''] = operations[name].split(' ')
  // No part of a path is more than one segment.
  const path = pattern.replaceAll(/:(\w+)/g, (_, part: string) =>
    encodeURIComponent(String(params?.[part])),
  )
  const search = new URLSearchParams()
  for (const [field, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(field, String(value))
  }
  return {
    method,
    path: search.size === 0 ? path : `${path}?${search.toString()}`,
    headers: {
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(preferWaitSeconds === undefined ? {} : { prefer: `wait=${preferWaitSeconds}` }),
    },
    // The API expects `{}` where an operation takes no body.
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    ...(signal === undefined ? {} : { signal }),
    ...(keepalive === undefined ? {} : { keepalive }),
  }
}
