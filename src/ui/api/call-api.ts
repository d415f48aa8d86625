import type { ProblemBody } from '../../api/schemas/problem.ts'
import type { OutputPiece } from '../../domain/text/output-place.ts'
import type { OutputStream } from '../../domain/tool.ts'

/** The API said no, or could not be reached (`code: 'network'`). `facts` is the whole problem document. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly status: number
  readonly code: ProblemBody['code'] | 'network'
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: ApiRefusal['code'],
    detail: string,
    facts: ApiRefusal['facts'],
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.facts = facts
  }
}

/** A question to the API. `body` makes it a POST unless `method` says otherwise. */
export interface ApiQuestion {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** longest time in seconds that the answer may wait for a later stage */
  readonly preferWaitSeconds?: number
  readonly signal?: AbortSignal
}

let csrfToken: string | null = null

/** The token that state-changing calls carry; `GET /v1/me` gives it. */
export function keepCsrfToken(me: { readonly csrfToken: string | null }): void {
  csrfToken = me.csrfToken
}

/**
 * Asks the API on the same origin and returns its JSON.
 *
 * @throws ApiRefusal for every status over 399 and when no answer came.
 * @example
 * const queues = await callApi<QueueList>('/v1/queues')
 */
export async function callApi<T>(path: string, question: ApiQuestion = {}): Promise<T> {
  const method = question.method ?? (question.body === undefined ? 'GET' : 'POST')
  const headers: Record<string, string> = { accept: 'application/json' }
  if (method !== 'GET') {
    headers['content-type'] = 'application/json'
    if (csrfToken !== null) headers['x-csrf-token'] = csrfToken
  }
  if (question.idempotencyKey !== undefined) headers['idempotency-key'] = question.idempotencyKey
  if (question.preferWaitSeconds !== undefined)
    headers['prefer'] = `wait=${question.preferWaitSeconds}`
  const response = await ask(path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(method !== 'GET' && { body: JSON.stringify(question.body ?? {}) }),
    ...(question.signal !== undefined && { signal: question.signal }),
  })
  if (response.status === 204) return undefined as T
  return (await response.json()) as T
}

/** Every byte behind a request as text, with the digest the server computed of it. */
export async function readContent(
  path: string,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; digest: string | null; mediaType: string }> {
  const response = await ask(path, { credentials: 'same-origin', ...(signal && { signal }) })
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    digest: response.headers.get('x-content-digest'),
    mediaType: response.headers.get('content-type') ?? 'application/octet-stream',
  }
}

/** What a command has written to one of its streams from `offset` on. `more`: it may write more. */
export async function readOutput(
  of: { readonly callId: string; readonly stream: OutputStream; readonly offset: number },
  signal: AbortSignal,
): Promise<OutputPiece & { readonly more: boolean }> {
  const path = `/v1/calls/${of.callId}/output/${of.stream}?offset=${of.offset}`
  const response = await ask(path, { credentials: 'same-origin', signal })
  return {
    attempt: Number(response.headers.get('x-output-attempt')),
    start: Number(response.headers.get('x-output-start')),
    more: response.headers.get('x-output-state') !== 'ended',
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiRefusal(0, 'network', 'The service did not answer. Nothing was changed here.', {})
  }
  if (!response.ok) throw await refusalOf(response)
  return response
}

async function refusalOf(response: Response): Promise<ApiRefusal> {
  try {
    const body = (await response.json()) as ProblemBody
    return new ApiRefusal(response.status, body.code, body.detail, body)
  } catch {
    const detail = `The service answered ${response.status} without saying why.`
    return new ApiRefusal(response.status, 'internal', detail, {})
  }
}
