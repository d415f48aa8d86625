import { setTimeout as delay } from 'node:timers/promises'
import { type ApiRequest, callOver } from './call.ts'
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
const maxPauseMs = 10_000
/** Longer than the service holds an answer. */
const answerWithinMs = 90_000

/**
 * Repeats each call, with growing pauses, until the service answers or `over` fires. It retries
 * after a lost connection and while the service is away; the verbs of this client are safe to
 * repeat. Calls reject with a {@link Refusal}, or the reason of `over`.
 */
export function callsUntilAnswered(address: ServiceAddress, over: AbortSignal) {
  return callOver((request) => askUntilAnswered(address, request, over))
}

async function askUntilAnswered(
  address: ServiceAddress,
  request: ApiRequest,
  over: AbortSignal,
): Promise<unknown> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    over.throwIfAborted()
    const answer = await askOnce(address, request, over).catch((error: unknown) => {
      over.throwIfAborted()
      if (error instanceof Refusal && !passing.has(error.status)) throw error
      return null
    })
    if (answer !== null) return answer
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: over }).catch(() =>
      over.throwIfAborted(),
    )
  }
}

async function askOnce(
  { apiKey, url }: ServiceAddress,
  { path, ...init }: ApiRequest,
  over: AbortSignal,
): Promise<unknown> {
  const response = await fetch(new URL(path, url), {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${apiKey}` },
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
