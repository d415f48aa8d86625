import {
  ask,
  consume,
  decision,
  isUnanswered,
  report,
  takeBack,
  withExternalId,
  type ActService,
} from './acts.ts'
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
  otherArguments,
} from './errors.ts'
import { perform } from './perform.ts'
import type { Permit } from './permit.ts'
import { toSummary, type RequestSummary, type RequestAnswer } from './request.ts'
import { sendableMember } from './transport.ts'

type AbortEffect = 'withdraw' | 'leave'

export interface GateOptions {
  /** ends the wait: see `onAbort`. It does not stop `execute` */
  readonly signal?: AbortSignal | undefined
  /**
   * what happens to the request when `signal` ends the wait, also if its opening was not answered
   * yet; as a function, it is called then; default: `withdraw`
   */
  readonly onAbort?: AbortEffect | (() => AbortEffect)
  /**
   * how long to retry the opening of the request, in milliseconds; default: without a limit. Then
   * it is tried to withdraw the request of a call without an `externalId`, as with `ask`
   */
  readonly openWithinMs?: number
  /** called once the request is open, for instance to print its number */
  readonly onAsked?: (request: RequestSummary) => void
}

export interface TakeOptions extends GateOptions {
  /**
   * how many seconds the decision may take; default: without a limit. If it is set, the client's
   * `timeoutMs` limits how long the service may be unreachable
   */
  readonly wait?: number
}

/**
 * An approved call. Make it with `input`, which is what people approved: a person may have changed
 * it, and the tool of a `worker` may have added its defaults.
 */
export interface AllowedCall<Input extends object> {
  readonly input: Input
  /** whether `input` differs from the input of the call */
  readonly isChanged: boolean
  /** above 1: a person changed the call */
  readonly revision: number
  readonly requestId: string
  readonly permit: Permit
}

const maxReportMs = 60_000

/** See `Client.gate`. */
export async function gate<Input extends object, Result>(
  service: ActService,
  call: Call<Input>,
  execute: (allowed: AllowedCall<Input>) => Promise<Result> | Result,
  options: GateOptions = {},
): Promise<Result> {
  // A function without parameters cannot make the call with other arguments.
  const own: Call<Input> = execute.length === 0 ? { ...call, edits: 'off' } : call
  const allowed = await take(service, own, options)
  const reporting = { ...service, timeoutMs: maxReportMs }
  return perform(
    { report: (id, outcome) => report(reporting, id, outcome) },
    allowed.requestId,
    () => execute(allowed),
  )
}

/** See `Client.take`. */
export async function take<Input extends object>(
  service: ActService,
  gateCall: Call<Input>,
  { onAbort = 'withdraw', onAsked, openWithinMs, signal, wait }: TakeOptions = {},
): Promise<AllowedCall<Input>> {
  const patient = wait === undefined ? { ...service, timeoutMs: Infinity } : service
  const ends = { signal }
  signal?.throwIfAborted()
  // The call as the service receives it: without members that JSON omits, and with an `externalId`.
  const call: Call = JSON.parse(JSON.stringify(withExternalId(gateCall), sendableMember))
  const opening = { ...service, timeoutMs: openWithinMs ?? patient.timeoutMs }
  let id: string | undefined
  try {
    const answer = await ask(opening, call, ends).catch(throwBlocked)
    id = answer.id
    onAsked?.(toSummary(answer))
    const { request } = await decision(patient, id, { ...ends, wait: wait ?? Infinity })
    refuseUndecided(request)
    await checkCall(request, call)
    const permit = await consume(patient, id, request.digest, ends).catch(throwTaken)
    // The input of the service's answer is the one that people saw and that the digest covers.
    const { input, revision } = request
    const isChanged = canonicalJson(input) !== canonicalJson(call.input)
    return { input: input as Input, isChanged, revision, requestId: id, permit }
  } catch (error) {
    const isLeft =
      signal?.aborted === true
        ? (typeof onAbort === 'function' ? onAbort() : onAbort) === 'withdraw'
        : id === undefined && gateCall.externalId === undefined && isUnanswered(error)
    if (isLeft) await takeBack(opening, call, ends, id)
    throw error
  }
}

function throwBlocked(error: unknown): never {
  if (!(error instanceof CountersignError) || error.code !== 'policy_blocked') throw error
  const { code, message, problem, status } = error
  throw new BlockedError(code, message, { cause: error, problem, status })
}

function refuseUndecided(request: RequestAnswer): void {
  const { cancelReason, decisions, external, id, number, state } = request
  const facts = { requestId: id }
  if (state === 'pending') {
    throw new CountersignError(state, `This waits as #${number}`, facts)
  }
  if (external !== null && external.consumed !== null) {
    throw new AlreadyTakenError(id, external.outcome?.state ?? null)
  }
  if (state === 'denied') {
    const denial = decisions.findLast((one) => one.decision === 'deny')
    throw new DeniedError(id, denial?.person.name ?? 'Somebody', denial?.reason ?? null)
  }
  if (state === 'expired') throw new ExpiredError(state, 'Nobody decided in time', facts)
  if (state === 'cancelled')
    throw new CancelledError(state, `This left the queue: ${cancelReason ?? state}`, facts)
}

/**
 * Throws a `MismatchError` unless the request is about this call. Its digest must cover its input,
 * and its input must equal ours, unless a person changed it or a worker's tool added defaults.
 */
async function checkCall(request: RequestAnswer, call: Call): Promise<void> {
  const { digest, facts, id, input, revision, tool } = request
  const isChanged = revision > 1
  if (isChanged && call.edits === 'off') throw otherArguments(id, input)
  const isSame =
    tool === call.tool &&
    (isChanged || call.worker !== undefined || canonicalJson(input) === canonicalJson(call.input))
  if (!isSame) throw new MismatchError(id, 'The request is about another call')
  const { toolHash } = facts
  if (typeof toolHash !== 'string' || (await callDigest({ tool, input, toolHash })) !== digest) {
    throw new MismatchError(id, 'The digest is not of this call')
  }
}

function throwTaken(error: unknown): never {
  if (!(error instanceof CountersignError) || error.requestId === null) throw error
  const { code, message, requestId } = error
  // Perhaps we took it and the answer was lost. Nothing ran here, and nothing may run twice.
  if (code === 'already_consumed') throw new AlreadyTakenError(requestId, null)
  const facts = { requestId, cause: error }
  if (code === 'expired') throw new ExpiredError(code, message, facts)
  if (code === 'cancelled') throw new CancelledError(code, message, facts)
  throw error
}
