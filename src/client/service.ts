import { setTimeout as delay } from 'node:timers/promises'
import { CountersignError } from './errors.ts'

/** How the service is reached. */
export interface ServiceAddress {
  readonly url: string
  readonly apiKey: string
}

/** A refusal of the service: its stable code, its sentence and the facts beside it. */
export class Refusal extends CountersignError {
  readonly status: number
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    const { code, detail } = problem
    const words = typeof detail === 'string' ? detail : `The service answered ${status}`
    super(typeof code === 'string' ? code : 'unavailable', words, null)
    this.status = status
    this.facts = problem
  }
}

/** What only needs time: the service starts again, or the host of the workspace does. */
const passing = new Set([429, 502, 503, 504])
const firstPauseMs = 200
const longestPauseMs = 10_000
/** Longer than the service holds an answer. */
const answerWithinMs = 90_000

/**
 * Asks until the service answers, ever more slowly, until `over` fires: a lost connection and a service that is away are
 * asked again, which the verbs of this client allow. Rejects with a {@link Refusal}, or the reason of `over`.
 */
export async function askUntilAnswered<T>(
  address: ServiceAddress,
  question: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
  over: AbortSignal,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    over.throwIfAborted()
    const answer = await askOnce(address, question, over).catch((error: unknown) => {
      over.throwIfAborted()
      if (error instanceof Refusal && !passing.has(error.status)) throw error
      return null
    })
    if (answer !== null) return answer as T
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: over }).catch(() =>
      over.throwIfAborted(),
    )
  }
}

async function askOnce(
  { apiKey, url }: ServiceAddress,
  {
    body,
    method,
    path,
  }: { readonly method: string; readonly path: string; readonly body?: unknown },
  over: AbortSignal,
): Promise<unknown> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // The key goes nowhere else.
    redirect: 'error',
    signal: AbortSignal.any([over, AbortSignal.timeout(answerWithinMs)]),
  })
  if (response.ok) return response.json()
  const problem: unknown = await response.json().catch(() => ({}))
  throw new Refusal(response.status, isObject(problem) ? problem : {})
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
