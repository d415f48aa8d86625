import { ask, consume, decision, report, withdraw, type ActService } from './acts.ts'
import type { Call } from './call.ts'
import { callDigest, canonicalJson } from './digest.ts'
import {
  AlreadyTakenError,
  BlockedError,
  CancelledError,
  CountersignError,
  DeniedError,
  ExpiredError,
  MismatchError,
} from './errors.ts'
import { perform } from './perform.ts'
import type { Permit } from './permit.ts'
import type { Asked, RequestAnswer } from './request.ts'

export interface GateOptions {
  /** ends the waiting: see `onAbort`. What has begun to run is not stopped by it */
  readonly signal?: AbortSignal
  /** what becomes of a request whose waiting `signal` ends; absent: it is withdrawn */
  readonly onAbort?: 'withdraw' | 'leave'
  /** how long the service may be away at the start; absent: it is waited for */
  readonly openWithinMs?: number
  /** told once the request is there, to say where it waits */
  readonly onAsked?: (asked: Asked) => void
}

export interface TakeOptions extends GateOptions {
  /**
   * how many seconds the decision may take; absent: it is waited for. With it the service, too, is
   * waited for no longer than the client's `timeoutMs`
   */
  readonly wait?: number
}

/**
 * What was allowed. `input` is what people approved, and what is to be done: a person may have
 * changed it, and a `worker` gives it the form of its tool.
 */
export interface Allowed<Input extends object> {
  readonly input: Input
  /** whether `input` differs from what was asked for */
  readonly isChanged: boolean
  readonly requestId: string
  readonly permit: Permit
}

const maxReportMs = 60_000

/** See `Client.gate`. */
export async function gate<Input extends object, Result>(
  service: ActService,
  call: Call<Input>,
  execute: (allowed: Allowed<Input>) => Promise<Result> | Result,
  options: GateOptions = {},
): Promise<Result> {
  // A function that takes nothing cannot make the call with other arguments.
  const own: Call<Input> = execute.length === 0 ? { ...call, edits: 'off' } : call
  const allowed = await take(service, own, options)
  const held = { ...service, timeoutMs: maxReportMs }
  return perform({ report: (id, outcome) => report(held, id, outcome) }, allowed.requestId, () =>
    execute(allowed),
  )
}

/** See `Client.take`. */
export async function take<Input extends object>(
  service: ActService,
  gateCall: Call<Input>,
  { onAbort = 'withdraw', onAsked, openWithinMs, signal, wait }: TakeOptions = {},
): Promise<Allowed<Input>> {
  const held = wait === undefined ? { ...service, timeoutMs: Infinity } : service
  const ends = signal === undefined ? {} : { signal }
  // As it travels: without what JSON leaves out.
  const call: Call = JSON.parse(JSON.stringify(gateCall))
  const opening = { ...service, timeoutMs: openWithinMs ?? held.timeoutMs }
  const opened = await ask(opening, call, ends).catch(blockedOr)
  const { id, number, state } = opened
  onAsked?.({ id, number, state })
  try {
    const { request } = await decision(held, id, { ...ends, wait: wait ?? Infinity })
    refuseUndecided(request)
    await checkCall(request, call)
    const permit = await consume(held, id, request.digest, ends).catch(takenOr)
    // As the service answered, and as its digest says: the form in which it was shown.
    const isChanged = canonicalJson(request.input) !== canonicalJson(call.input)
    return { input: request.input as Input, isChanged, requestId: id, permit }
  } catch (error) {
    // Refused once the call is decided, which changes nothing.
    if (signal?.aborted === true && onAbort === 'withdraw') {
      await withdraw({ ...service, timeoutMs: maxReportMs }, id).catch(() => undefined)
    }
    throw error
  }
}

function blockedOr(error: unknown): never {
  if (!(error instanceof CountersignError) || error.code !== 'policy_blocked') throw error
  throw new BlockedError(error.code, error.message, { cause: error })
}

function refuseUndecided(request: RequestAnswer): void {
  const { cancelReason, decisions, external, id, number, state } = request
  if (state === 'pending') {
    throw new CountersignError(state, `This waits as #${number}`, { requestId: id })
  }
  if (external !== null && external.consumed !== null) {
    throw new AlreadyTakenError(id, external.outcome?.state ?? null)
  }
  if (state === 'denied') {
    const denial = decisions.findLast((one) => one.decision === 'deny')
    throw new DeniedError(id, denial?.person.name ?? 'Somebody', denial?.reason ?? null)
  }
  if (state === 'expired')
    throw new ExpiredError(state, 'Nobody decided in time', { requestId: id })
  if (state === 'cancelled') {
    const message = `This left the queue: ${cancelReason ?? 'cancelled'}`
    throw new CancelledError(state, message, { requestId: id })
  }
}

/**
 * What was approved must be what was asked for: the digest is over it, and unless a person changed
 * it or a worker gave it its form, it is ours to the letter.
 */
async function checkCall(request: RequestAnswer, call: Call): Promise<void> {
  const { digest, facts, id, input, revision, tool } = request
  const isChanged = revision > 1
  if (isChanged && call.edits === 'off') {
    throw new MismatchError(id, `Other arguments were approved: ${JSON.stringify(input)}`)
  }
  const isSame =
    tool === call.tool &&
    (isChanged || call.worker !== undefined || canonicalJson(input) === canonicalJson(call.input))
  if (!isSame) throw new MismatchError(id, 'The request is about another call')
  const { toolHash } = facts
  if (typeof toolHash !== 'string' || (await callDigest({ tool, input, toolHash })) !== digest) {
    throw new MismatchError(id, 'The digest of the request is not that of its call')
  }
}

function takenOr(error: unknown): never {
  if (!(error instanceof CountersignError) || error.requestId === null) throw error
  const { code, message, requestId } = error
  // It may be our own answer that was lost: nothing ran here, and nothing runs twice.
  if (code === 'already_consumed') throw new AlreadyTakenError(requestId, null)
  if (code === 'expired') throw new ExpiredError(code, message, { requestId, cause: error })
  if (code === 'cancelled') throw new CancelledError(code, message, { requestId, cause: error })
  throw error
}
