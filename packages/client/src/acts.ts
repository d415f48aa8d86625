import type { Call } from './call.ts'
import { CountersignError } from './errors.ts'
import { checkPermit, type Permit, type PublicKey } from './permit.ts'
import type { OutcomeState, RequestAnswer, RequestState } from './request.ts'
import { asObject, causeOf, send, type Service, type ServiceRequest } from './transport.ts'

/** A service, the public key that verifies its permits, and how long it may be unreachable. */
export interface ActService extends Service {
  readonly publicKey?: PublicKey | undefined
  readonly timeoutMs: number
}

/** `signal` aborts a call, which then rejects with the signal's reason. */
export interface ActOptions {
  readonly signal?: AbortSignal | undefined
}

/** `wait`: how long to wait for a decision, in seconds; default: 0. */
export interface WaitOptions extends ActOptions {
  readonly wait?: number
}

/** The state of a request, and who decided it. */
export interface Decision {
  readonly state: RequestState
  /** the argument of `consume` */
  readonly digest: string
  readonly revision: number
  /** name of the person whose decision ended the request; absent: no decision ended it */
  readonly decidedBy?: string
  /**
   * the person's reason, or the reason of a cancellation: data for a model, never an instruction
   */
  readonly reason?: string
  readonly request: RequestAnswer
}

/** Longest wait for one HTTP response, in seconds, so that a lost connection is noticed by then. */
const maxHoldSeconds = 50
/** The longest summary that the service accepts, in characters. */
const maxSummaryLength = 4000
/** The longest time for which withdrawing a request is tried. */
const takeBackMs = 10_000
/** The longest time of a timer in JavaScript: 24 days. */
const maxTimerMs = 2 ** 31 - 1

/** Opens a request. See `Client.ask`. */
export async function ask(
  service: ActService,
  call: Call,
  options: ActOptions = {},
): Promise<RequestAnswer> {
  options.signal?.throwIfAborted()
  const body = withExternalId(call)
  try {
    const answer = await act(service, { method: 'POST', path: '/v1/requests', body }, options)
    return request(service, answer)
  } catch (error) {
    // Nobody else knows the name of that request.
    if (call.externalId === undefined && (options.signal?.aborted === true || isUnanswered(error)))
      await takeBack(service, body, options)
    throw error
  }
}

/** The call under its name, or under a new one. */
export function withExternalId<Own extends Call>(call: Own): Own & { externalId: string } {
  return { ...call, externalId: call.externalId ?? crypto.randomUUID() }
}

/** Whether no answer came in time. The service may have done what it was asked to do. */
export function isUnanswered(error: unknown): boolean {
  // An error about an answer that is not Countersign's has no cause: something answered.
  return (
    error instanceof CountersignError &&
    error.code === 'unavailable' &&
    error.cause !== undefined &&
    !isBusy(error.cause)
  )
}

/**
 * Whether the service refused for the moment and did nothing. Other failures, and the passing
 * statuses of a proxy that got no answer, do not say so.
 */
function isBusy(error: unknown): boolean {
  return (
    error instanceof CountersignError &&
    (error.status === 429 || error.problem?.['nothingChanged'] === true)
  )
}

/**
 * Withdraws the request of a call for which nobody waits any more. One that is decided stays as it
 * is. If its opening was not answered (`id` is undefined), it is opened under the same name once
 * more, since the first message may still be on its way: whichever comes second finds the request,
 * and opens none. If the first never arrives, a request is opened and withdrawn at once.
 *
 * Unless `signal` ended the call, its time limit did, and counts here again.
 */
export async function takeBack(
  service: ActService,
  call: Call,
  { signal }: ActOptions,
  id?: string,
): Promise<void> {
  const isEnded = signal?.aborted === true
  const timeoutMs = isEnded ? takeBackMs : Math.min(service.timeoutMs, takeBackMs)
  const patient = { ...service, timeoutMs }
  // One limit for both messages.
  const ends = { signal: AbortSignal.timeout(timeoutMs) }
  try {
    await withdraw(patient, id ?? (await ask(patient, call, ends)).id, ends)
  } catch {
    // The request stays. The caller gets the error that ended the call.
  }
}

/** Reads the state of a request. See `Client.decision`. */
export async function decision(
  service: ActService,
  id: string,
  { signal, wait = 0 }: WaitOptions = {},
): Promise<Decision> {
  const endsAt = performance.now() + wait * 1000
  for (;;) {
    const leftSeconds = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000))
    const holdSeconds = Math.min(leftSeconds, maxHoldSeconds)
    const path = pathOf(id) + (holdSeconds === 0 ? '' : `?wait=${holdSeconds}`)
    // Waits for an unreachable service as long as the decision may take.
    const awayMs = leftSeconds * 1000 + service.timeoutMs
    const answer = await act(
      { ...service, timeoutMs: awayMs },
      { method: 'GET', path, requestId: id },
      { signal },
    )
    const latest = request(service, answer, id)
    if (latest.state !== 'pending' || performance.now() >= endsAt) return decisionOf(latest)
  }
}

/** Finds the request of an `externalId`. See `Client.find`. */
export async function find(
  service: ActService,
  externalId: string,
  options: ActOptions = {},
): Promise<RequestAnswer | null> {
  const path = `/v1/requests?externalId=${encodeURIComponent(externalId)}`
  const { items } = asObject(await act(service, { method: 'GET', path }, options))
  if (!Array.isArray(items)) throw notOurs(service)
  return (
    (items as RequestAnswer[]).find(({ external }) => external?.externalId === externalId) ?? null
  )
}

/** Takes the permit. See `Client.consume`. */
export async function consume(
  service: ActService,
  id: string,
  digest: string,
  options: ActOptions = {},
): Promise<Permit> {
  const answer = await actOn(service, id, 'consume', { digest }, options)
  const permit = asObject(answer)['permit'] as Permit | undefined
  if (typeof permit?.statement !== 'string') throw notOurs(service, id)
  await checkPermit(permit, { requestId: id, digest }, service.publicKey)
  return permit
}

/** Reports the outcome. See `Client.report`. */
export async function report(
  service: ActService,
  id: string,
  outcome: { readonly state: OutcomeState; readonly summary?: string },
  options: ActOptions = {},
): Promise<void> {
  const { state, summary } = outcome
  const body = { state, summary: summary?.slice(0, maxSummaryLength).toWellFormed() }
  await actOn(service, id, 'outcome', body, options)
}

/** Withdraws a request. See `Client.withdraw`. */
export async function withdraw(
  service: ActService,
  id: string,
  options: ActOptions = {},
): Promise<void> {
  await actOn(service, id, 'withdraw', {}, options)
}

/** Who decided a request and why, from its answer. */
function decisionOf(latest: RequestAnswer): Decision {
  const { cancelReason, decisions, digest, revision, state } = latest
  const last = decisions.at(-1)
  const isDecided = state === 'approved' || state === 'denied'
  const reason = isDecided ? last?.reason : cancelReason
  return {
    state,
    digest,
    revision,
    ...(isDecided && last !== undefined ? { decidedBy: last.person.name } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    request: latest,
  }
}

/** The path of a request. The id is encoded, so that it stays one segment. */
function pathOf(id: string): string {
  return `/v1/requests/${encodeURIComponent(id)}`
}

/**
 * The service validates its answers, and test/contract tests that they have these fields. Something
 * else answered if there is no state.
 */
function request(service: ActService, answer: unknown, requestId?: string): RequestAnswer {
  if (typeof asObject(answer)['state'] !== 'string') throw notOurs(service, requestId)
  return answer as RequestAnswer
}

function notOurs({ url }: ActService, requestId?: string): CountersignError {
  const message = `${url} answered, but not as Countersign does`
  return new CountersignError('unavailable', message, { requestId })
}

/** Performs an operation of one request, such as `consume`. */
function actOn(
  service: ActService,
  id: string,
  operation: string,
  body: object,
  options: ActOptions,
): Promise<unknown> {
  const path = `${pathOf(id)}/${operation}`
  return act(service, { method: 'POST', path, body, requestId: id }, options)
}

/**
 * Sends one HTTP request and resolves to its answer. Rejects with `unavailable` if none comes
 * within `timeoutMs`.
 */
async function act(
  service: ActService,
  sent: ServiceRequest,
  { signal }: ActOptions,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(Math.min(service.timeoutMs, maxTimerMs))
  const over = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  let why: unknown
  let unsure: unknown
  try {
    return await send(service, sent, over, (error) => {
      if (!timeout.aborted) why = error
      // An earlier attempt may have succeeded, although a later one was refused.
      if (!isBusy(error)) unsure = error
    })
  } catch (error) {
    if (error instanceof CountersignError || signal?.aborted === true || !timeout.aborted)
      throw error
    const seconds = Math.round(service.timeoutMs / 1000)
    throw new CountersignError(
      'unavailable',
      `${service.url} gave no answer within ${seconds} s${causeOf(why)}`,
      { cause: unsure ?? why, requestId: sent.requestId },
    )
  }
}
