import { randomUUID, type KeyLike } from 'node:crypto'
import type { OperationAnswer, OperationBody } from '#api/operations.ts'
import { callDigest, canonicalJson } from './canonical-json.ts'
import {
  AlreadyTakenError,
  BlockedError,
  CancelledError,
  DeniedError,
  ExpiredError,
  MismatchError,
} from './errors.ts'
import { checkPermit, type Permit } from './permit.ts'
import { callsUntilAnswered, Refusal, type ServiceAddress } from './service.ts'

/** A dangerous call, as people are asked about it. */
export interface GateCall<Input extends object = object> {
  readonly tool: string
  readonly input: Input
  /**
   * identifies this call: repeating it returns the existing request. Without it every call is new
   */
  readonly externalId?: string
  /** whose policy judges first; what it pre-approves waits for nobody */
  readonly worker?: string
  /**
   * a sentence and a text for the approvers: shown as the program's claim, beside the raw arguments
   */
  readonly title?: string
  readonly presentation?: {
    readonly type: 'text' | 'diff' | 'file_content' | 'command' | 'structured'
    readonly content: string
    readonly language?: string
  }
  readonly queue?: string
  /** e-mail address of the person for whom the program acts; they cannot approve it */
  readonly onBehalfOf?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** where the call is made: shown to the approvers as what the program reports */
  readonly origin?: GateOrigin
}

/**
 * Where a program works. Only with a right `proof` does the service look at files of its own
 * workspace.
 */
export interface GateOrigin {
  readonly program: string
  readonly version?: string
  readonly host: string
  /** real path */
  readonly folder: string
  readonly git?: {
    readonly remote: string | null
    readonly commit: string | null
    readonly dirty: boolean | null
  }
  /** those that the call names; `hash` is `sha256:…` of the bytes, or `absent` */
  readonly files?: readonly {
    readonly path: string
    readonly hash: string
    readonly content?: string
  }[]
  /** HMAC-SHA-256 of `folder` with the bytes of DATA/run/host-proof, in lower-case hex */
  readonly proof?: string
}

export interface GateOptions {
  /** ends the waiting: the request is withdrawn. What has begun to run is not stopped by it */
  readonly signal?: AbortSignal
  /** how long the service may be away at the start; absent: it is waited for */
  readonly openWithinMs?: number
  /** told once the request is there, to say where it waits */
  readonly onAsked?: (asked: {
    readonly id: string
    readonly number: number
    readonly state: string
  }) => void
}

/**
 * What was allowed. `input` is what people saw: with a `worker`, in the form that its tool gave it.
 */
export interface Allowed<Input extends object> {
  readonly input: Input
  readonly requestId: string
  readonly permit: Permit
}

/** A call as it travels. */
type SentCall = Omit<OperationBody<'openRequest'>, 'externalId'> & { readonly externalId?: string }

/** A request as the service answers with it. */
type Asked = OperationAnswer<'getRequest'>

/** Seconds for which one question is held; a lost answer costs no more. */
const holdSeconds = 50
const reportWithinMs = 60_000
/** The service's bound of a summary. */
const summaryMost = 4000

/** The service, and the key that its permits must be signed with, when that is known. */
export interface GateService extends ServiceAddress {
  readonly publicKey?: KeyLike
}

/** See `Client.gate`. */
export async function gate<Input extends object, Result>(
  service: GateService,
  call: GateCall<Input>,
  execute: (allowed: Allowed<Input>) => Promise<Result> | Result,
  options: GateOptions,
): Promise<Result> {
  const allowed = await take(service, call, options)
  return run(service, allowed.requestId, () => execute(allowed))
}

/** See `Client.take`. */
export async function take<Input extends object>(
  service: GateService,
  gateCall: GateCall<Input>,
  { onAsked, openWithinMs, signal }: GateOptions,
): Promise<Allowed<Input>> {
  const over = signal ?? new AbortController().signal
  // As it travels: without what JSON leaves out.
  const sentCall: SentCall = JSON.parse(JSON.stringify(gateCall))
  const body = { ...sentCall, externalId: sentCall.externalId ?? randomUUID() }
  const opening =
    openWithinMs === undefined ? over : AbortSignal.any([over, AbortSignal.timeout(openWithinMs)])
  const call = callsUntilAnswered(service, opening)
  const opened = await call('openRequest', { body }).catch(blockedOr)
  onAsked?.({ id: opened.id, number: opened.number, state: opened.state })
  const request = await untilDecided(service, opened, over)
  refuseEnded(request)
  checkCall(request, sentCall)
  const permit = await takePermit(service, request, over)
  checkPermit(permit, { requestId: request.id, digest: request.digest }, service.publicKey)
  // As the service answered, and as its digest says: the form in which it was shown.
  const input = request.input as Input
  return { input, requestId: request.id, permit }
}

function blockedOr(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'policy_blocked') throw error
  throw new BlockedError(error.code, error.message, null, { cause: error })
}

async function untilDecided(
  service: ServiceAddress,
  opened: Asked,
  over: AbortSignal,
): Promise<Asked> {
  const params = { id: opened.id }
  const call = callsUntilAnswered(service, over)
  try {
    let request = opened
    while (request.state === 'pending') {
      request = await call('getRequest', { params, query: { wait: holdSeconds } })
    }
    return request
  } catch (error) {
    if (over.aborted) await tell(service, (call) => call('withdrawRequest', { params }))
    throw error
  }
}

/** Says something that the service need not answer for us to go on: in vain, it stays unsaid. */
async function tell(
  service: ServiceAddress,
  say: (call: ReturnType<typeof callsUntilAnswered>) => Promise<unknown>,
): Promise<void> {
  const within = AbortSignal.timeout(reportWithinMs)
  await say(callsUntilAnswered(service, within)).catch(() => undefined)
}

function refuseEnded(request: Asked): void {
  const { cancelReason, decisions, external, id, state } = request
  if (external !== null && external.consumed !== null) {
    throw new AlreadyTakenError(id, external.outcome?.state ?? null)
  }
  if (state === 'denied') {
    const denial = decisions.findLast(({ decision }) => decision === 'deny')
    throw new DeniedError(id, denial?.person.name ?? 'Somebody', denial?.reason ?? null)
  }
  if (state === 'expired') throw new ExpiredError(state, 'Nobody decided in time', id)
  if (state === 'cancelled') {
    throw new CancelledError(state, `This left the queue: ${cancelReason ?? 'cancelled'}`, id)
  }
}

/**
 * What was approved must be what was asked for: the digest is over it, and without a worker it is
 * ours to the letter.
 */
function checkCall(request: Asked, call: SentCall): void {
  const { digest, facts, id, input, tool } = request
  const same =
    tool === call.tool &&
    (call.worker !== undefined || canonicalJson(input) === canonicalJson(call.input))
  if (!same) throw new MismatchError(id, 'The request is about another call')
  const { toolHash } = facts
  if (typeof toolHash !== 'string' || callDigest({ tool, input, toolHash }) !== digest) {
    throw new MismatchError(id, 'The digest of the request is not that of its call')
  }
}

async function takePermit(
  service: ServiceAddress,
  { digest, id }: Asked,
  over: AbortSignal,
): Promise<Permit> {
  const call = callsUntilAnswered(service, over)
  try {
    const { permit } = await call('consumePermit', { params: { id }, body: { digest } })
    return permit
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message } = error
    // It may be our own answer that was lost: nothing ran here, and nothing runs twice.
    if (code === 'already_consumed') throw new AlreadyTakenError(id, null)
    if (code === 'expired') throw new ExpiredError(code, message, id, { cause: error })
    if (code === 'cancelled') throw new CancelledError(code, message, id, { cause: error })
    throw error
  }
}

async function run<Result>(
  service: ServiceAddress,
  requestId: string,
  execute: () => Promise<Result> | Result,
): Promise<Result> {
  const report = (body: OperationBody<'reportOutcome'>): Promise<void> =>
    tell(service, (call) => call('reportOutcome', { params: { id: requestId }, body }))
  try {
    const result = await execute()
    await report({ state: 'succeeded' })
    return result
  } catch (error) {
    const summary = (error instanceof Error ? error.message : String(error)).slice(0, summaryMost)
    await report({ state: 'failed', summary: summary.toWellFormed() })
    throw error
  }
}
