import type { ProblemBody } from '#api/schemas/common.ts'
import { type ApiRequest, callOver } from '#client/call.ts'
import { newListeners } from '#domain/listeners.ts'
import { sessionProof } from './session-proof.ts'

/**
 * A refusal of the API, or `code: 'network'` if it could not be reached. `facts` is the whole
 * problem document.
 */
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

/**
 * Whether an error says that nobody is signed in. A `401` of a proxy before the service does not.
 */
export function isSessionEnd(error: unknown): boolean {
  return (
    error instanceof ApiRefusal &&
    (error.code === 'unauthenticated' || error.code === 'session_unproven')
  )
}

/** Who is signed in on this page, and the CSRF token that state-changing calls send. */
interface PageSession {
  readonly person: { readonly id: string }
  readonly csrfToken: string | null
}

let session: PageSession | null = null

/** Stores the session that `GET /v1/me` answered. */
export function keepSession(me: PageSession): void {
  session = me
}

const otherSessions = newListeners()

/**
 * Calls `listener` when the browser has another session than this page: somebody signed in in
 * another tab. Returns the function that ends this.
 */
export const onOtherSession = otherSessions.subscribe

/** The person as whom this page sends; `null` before it is known. */
export function pagePersonId(): string | null {
  return session?.person.id ?? null
}

/** Whether state-changing calls are sent with the session of another person. */
export function isSessionOfOther(personId: string): boolean {
  return session !== null && session.person.id !== personId
}

/**
 * Calls an operation on the same origin and resolves to its JSON.
 *
 * @throws ApiRefusal for every status over 399 and when no answer came.
 * @example
 * const queues = await callApi('listQueues')
 */
export const callApi = callOver(async (request) => {
  const headers = { accept: 'application/json', ...request.headers }
  const response = await ask({ ...request, headers })
  return response.json()
})

/** Reads all bytes of a request's content as text, and their digest by the server. */
export async function readContent(
  request: ApiRequest,
): Promise<{ bytes: Uint8Array; digest: string | null; mediaType: string }> {
  const response = await ask(request)
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    digest: response.headers.get('x-content-digest'),
    mediaType: response.headers.get('content-type') ?? 'application/octet-stream',
  }
}

/**
 * Sends a request and returns the answer for any status under 400. Every call has the proof of the
 * session (security.md 39).
 */
export async function ask(request: ApiRequest): Promise<Response> {
  let response: Response
  const credentials = withCredentials(request)
  try {
    response = await fetch(request.path, credentials)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiRefusal(
      0,
      'network',
      'The service did not answer. Check your network and try again.',
      {},
    )
  }
  if (response.ok) return response
  const refusal = await refusalOf(response)
  // Without the token of a session, as on the sign-in page, the refusal is about the origin.
  const hadToken = new Headers(credentials.headers).has('x-csrf-token')
  if (refusal.code !== 'csrf_failed' || !hadToken) throw refusal
  otherSessions.notify()
  const words =
    'Somebody signed in in another tab of this browser. Nothing was sent; look who is signed in, and send it again.'
  throw new ApiRefusal(refusal.status, refusal.code, words, refusal.facts)
}

/** The options of `fetch` for a call: with the cookie and the proof of the session. */
function withCredentials(request: ApiRequest): RequestInit {
  const csrfToken = session?.csrfToken ?? null
  const headers = {
    ...request.headers,
    ...(request.method !== 'GET' && csrfToken !== null && { 'x-csrf-token': csrfToken }),
    'x-countersign-session': sessionProof(),
  }
  return { ...request, headers, credentials: 'same-origin' }
}

/** Browsers with the Fetch Later API (Chromium since 135). */
declare global {
  interface Window {
    fetchLater?: (path: string, init: RequestInit) => unknown
  }
}

/**
 * Gives a call to the browser, which sends it when the page ends, even if the page crashes or is
 * too busy to handle `pagehide` in time. The answer is lost with the page. Returns a function that
 * withdraws the call; it does nothing in browsers without `fetchLater`.
 */
export function callAtPageEnd(request: ApiRequest): () => void {
  const withdrawal = new AbortController()
  try {
    window.fetchLater?.(request.path, {
      ...withCredentials(request),
      signal: withdrawal.signal,
    })
  } catch {
    // The browser's quota of such calls is used up; `pagehide` sends the call.
  }
  return () => withdrawal.abort()
}

async function refusalOf(response: Response): Promise<ApiRefusal> {
  const body: Partial<ProblemBody> | null = await response.json().catch(() => null)
  // The JSON of a proxy before the service is no problem document.
  if (typeof body?.code === 'string' && typeof body.detail === 'string') {
    return new ApiRefusal(response.status, body.code, body.detail, body)
  }
  const detail = `The service answered ${response.status} without a reason. Try again.`
  return new ApiRefusal(response.status, 'internal', detail, {})
}
