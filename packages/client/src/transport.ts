import { CountersignError } from './errors.ts'
import { isUnsendable } from './digest.ts'

/** Address and API key of a service. */
export interface Service {
  /** such as `http://localhost:4400` */
  readonly url: string
  readonly apiKey: string
  readonly fetch: typeof fetch
}

/** One HTTP request: `path` begins with `/v1`. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** the approval request that this is about, for errors */
  readonly requestId?: string
}

/** Statuses of a service, or of a proxy before it, that restarts or is busy. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status > 501
const firstPauseMs = 200
const maxPauseMs = 10_000
/** The longest pause that an answer may demand by `retry-after`. */
const maxDemandedMs = 60_000
/** Longer than the service waits before it answers a request with `?wait=`. */
const maxAnswerMs = 90_000

/**
 * Sends a request and resolves to the JSON of its answer. While the service is unreachable or busy,
 * or an answer is incomplete, retries with growing pauses until `over` fires; every request of this
 * client can be repeated.
 * Rejects with the service's refusal as a {@link CountersignError}, with the reason of `over`, or
 * with a `TypeError` for a request that can never be sent. Calls `onFailure` after each failed
 * attempt, also after the one that `over` ended.
 */
export async function send(
  service: Service,
  request: ServiceRequest,
  over: AbortSignal,
  onFailure: (why: unknown) => void,
): Promise<unknown> {
  const prepared = prepare(service, request)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    over.throwIfAborted()
    let demandedMs = 0
    try {
      return await sendOnce(service, prepared, request.requestId, over, (ms) => (demandedMs = ms))
    } catch (error) {
      onFailure(error)
      over.throwIfAborted()
      if (error instanceof CountersignError && !isPassing(error.status ?? 0)) throw error
      const why = causeOf(error)
      if (why === ': bad port') throw new TypeError(service.url + why, { cause: error })
    }
    // Random pauses, so that the clients of a service that restarts do not all retry at once.
    await pause(Math.max(demandedMs, pauseMs * (0.5 + Math.random() / 2)), over)
  }
}

/** A request as it is sent, the same for every attempt. */
interface PreparedRequest {
  readonly target: URL
  readonly init: RequestInit
}

/** Throws a `TypeError` for an address, a key or a body that cannot be sent. */
function prepare({ apiKey, url }: Service, request: ServiceRequest): PreparedRequest {
  const { body, method, path } = request
  const headers = new Headers({ authorization: `Bearer ${apiKey}` })
  if (body !== undefined) headers.set('content-type', 'application/json')
  const target = new URL(path, url)
  const init: RequestInit = {
    method,
    headers,
    // No text, and so no body, where there is none.
    body: JSON.stringify(body, sendableMember),
    // A redirect would send the key to another address.
    redirect: 'manual',
  }
  // A `Request` also refuses an address with a password where `fetch` does.
  if (!new Request(target, init).url.startsWith('http')) throw new TypeError(`${url} is not HTTP`)
  return { target, init }
}

/** Refuses numbers that JSON would send as `null`: people would decide about another call. */
export function sendableMember(name: string, value: unknown): unknown {
  if (isUnsendable(value)) throw new TypeError(`${name}: ${String(value)} is not JSON`)
  return value
}

async function sendOnce(
  { fetch, url }: Service,
  { init, target }: PreparedRequest,
  requestId: string | undefined,
  over: AbortSignal,
  onDemand: (pauseMs: number) => void,
): Promise<unknown> {
  const response = await fetch(target, {
    ...init,
    signal: AbortSignal.any([over, AbortSignal.timeout(maxAnswerMs)]),
  })
  const { headers, ok, status } = response
  // Another server, or a proxy that wants a sign-in, answers with a page or with nothing.
  const isForeign = status === 204 || /html/i.test(headers.get('content-type') ?? '')
  if (ok && !isForeign) return response.json()
  onDemand(demandedPauseMs(headers.get('retry-after') ?? ''))
  const problem = asObject(isForeign ? null : await response.json().catch(() => null))
  const { code, detail } = problem
  throw new CountersignError(
    typeof code === 'string' ? code : 'unavailable',
    typeof detail === 'string'
      ? detail
      : `${url} answered with ${status}, but not as Countersign does`,
    { status, problem, requestId },
  )
}

/** The pause of a `retry-after` in seconds or as a date; 0: there is none. */
function demandedPauseMs(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return ms > 0 ? Math.min(ms, maxDemandedMs) : 0
}

/** The reason of a failure as a clause. `fetch` puts it into the `cause` of its error. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { message } = error.cause instanceof Error ? error.cause : error
  return message === '' ? '' : `: ${message}`
}

/** The value as an object; `{}` for everything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}

/** Resolves after `ms`, or at once when `over` fires. */
function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      over.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    over.addEventListener('abort', end)
  })
}
