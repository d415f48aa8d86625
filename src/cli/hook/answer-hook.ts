import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  AlreadyTakenError,
  CountersignError,
  createClient,
  MismatchError,
  type AllowedCall,
  type Client,
  type RequestSummary,
} from '#program-client'
import type { Agent } from '#domain/hooks/agents.ts'
import {
  allowedCall,
  secondHookReason,
  takenReason,
  unmakeableReason,
  unmakeableReport,
} from '#domain/hooks/approved-call.ts'
import { canBeChanged, changedInputOf, type HookedCall } from '#domain/hooks/call-of-event.ts'
import { externalIdOf } from '#domain/hooks/external-id.ts'
import type { HookDecision, HookEvent } from '#domain/hooks/hook-event.ts'
import { errorMessage } from '#domain/error-message.ts'
import { callHere } from './call-here.ts'
import { throwIfForeign } from './throw-if-foreign.ts'
import { requestOfCall, type CallAsker } from './request-of-call.ts'
import type { WaitingCalls } from './waiting/waiting-calls.ts'

/** How to reach the service. */
export interface ServiceAddress {
  readonly url: string
  readonly apiKey: string
}

/** The settings of a hook that asks about calls. */
export interface HookSettings extends Omit<CallAsker, 'title'> {
  readonly service: ServiceAddress
  /** the agent's name in the hook, its name for people, and whether it takes other arguments */
  readonly agent: {
    readonly name: string
    readonly title: string
    readonly edits?: Agent['edits']
  }
  /**
   * ends the wait before the agent's own limit, after which the agent continues without the hook
   */
  readonly deadline: AbortSignal
  /** fires when the agent cancels the call; its request is then withdrawn; absent: never */
  readonly cancelled?: AbortSignal
  /** calls that waited longer than their hook */
  readonly waiting: WaitingCalls
  /**
   * gets the request that still waits at the deadline, and the session then ends; `null`: the
   * session continues
   */
  readonly onStillWaiting: ((request: RequestSummary) => Promise<void>) | null
}

const answerWithinMs = 10_000
const openWithinMs = 20_000
const maxReportMs = 10_000
const lookWithinMs = 2_000
/** Less than what a hook has left after its deadline. */
const nameWithinMs = 1_500

/**
 * Whether the agent may make a call. Policy judges it first, and a call that asks waits for people
 * until the hook must answer. Then the request stays, and a repeated call continues to wait. Fails
 * closed: every failure is a denial with its sentence.
 */
export async function decideHook(event: HookEvent, settings: HookSettings): Promise<HookDecision> {
  const { agent, root, service } = settings
  const call = await callHere(event, root, agent.name)
  const key = [agent.name, service.url, event.session_id, call]
  let openRequest: RequestSummary | null = null
  /** the name under which the call was last sent */
  let sentAs: string | null = null
  const own = externalIdOf(event, agent.name) ?? `${agent.name}:${randomUUID()}`
  try {
    await assertAnswers(service, settings.deadline)
    let why = ''
    const names = await settings.waiting.namesOf(own, ...key)
    for (const externalId of names) {
      const isSecond = externalId === own && (await isTakenFor(own, settings.waiting, why))
      if (isSecond) return denySecondHook()
      await settings.waiting.remember(externalId, ...key)
      sentAs = externalId
      openRequest = null
      const allowed = await takeUnder(externalId, event, {
        call,
        settings,
        onAsked: (one) => (openRequest = one),
      })
      if ('why' in allowed) {
        why = allowed.why
        continue
      }
      // A second hook of this call finds it, and so does the report.
      if (externalId !== own) await settings.waiting.remember(externalId, own)
      await settings.waiting.forget(...key)
      const input = await inputToMake(event, { ...allowed, tool: call.tool }, settings)
      // Without an id of the call, its outcome is found by the call itself.
      if (event.tool_use_id === undefined) {
        const changedEvent = { ...event, tool_input: input ?? event.tool_input }
        await settings.waiting.remember(externalId, ...hookCallKey(changedEvent, settings))
      }
      return allowedCall(allowed.requestId, input)
    }
    throw new Error(why)
  } catch (error) {
    const isLate = settings.deadline.aborted
    const request = openRequest as RequestSummary | null
    const isWanted = settings.cancelled?.aborted !== true
    const mayBeOpen = request === null && isWanted && (isLate || isUnanswered(error))
    const waitingRequest =
      mayBeOpen && sentAs !== null ? await requestLeft(sentAs, service) : isLate ? request : null
    // A decision is returned once: after that, the same call asks again. If the service did not
    // answer, or a request could not be withdrawn, the earlier request still waits.
    const isOver = waitingRequest === null && !isUnanswered(error) && !(await isLeft(key, settings))
    if (isOver) await settings.waiting.forget(...key)
    const sentence = waitingRequest === null ? sentenceOf(error) : waitingSentence(waitingRequest)
    const denial = { decision: 'deny', reason: `Countersign: ${sentence}` } as const
    if (waitingRequest === null || settings.onStillWaiting === null) return denial
    // A session must not end if it could not be continued later.
    const isRecorded = await settings.onStillWaiting(waitingRequest).then(
      () => true,
      () => false,
    )
    return isRecorded ? { ...denial, defers: true } : denial
  }
}

/** How many times, and how far apart, to look which call has just taken a permit. */
const takerAttempts = 20
const takerPauseMs = 50

/**
 * Whether another hook of this same call has taken the permit of an earlier, equal one. Which call
 * took it is stored a moment after that: without a pause, people would be asked again.
 */
async function isTakenFor(own: string, waiting: WaitingCalls, why: string): Promise<boolean> {
  const attempts = why === takenReason ? takerAttempts : 1
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (attempt > 1) await delay(takerPauseMs)
    if ((await waiting.find(own)) !== null) return true
  }
  return false
}

/** What the call waits under stays remembered for the first hook. */
function denySecondHook(): HookDecision {
  return { decision: 'deny', reason: `Countersign: ${secondHookReason}.` }
}

const ofAnotherCall =
  'the request under the name of this call is about another call, so this one does not run'
/** Why a call under the name of an earlier request, now withdrawn, does not run. */
const filesChanged =
  'a file of this call has changed since its request was made, which is withdrawn, so this call does not run; ask again'

/** The request of a call whose opening was not answered; `null`: none is known to wait. */
export async function requestLeft(
  name: string,
  service: ServiceAddress,
): Promise<RequestSummary | null> {
  const client = createClient({ ...service, timeoutMs: nameWithinMs })
  const request = await client.find(name).catch(() => null)
  return request?.state === 'pending' || request?.state === 'approved' ? request : null
}

/** Whether a call was cancelled but, as far as is known, its request could not be withdrawn. */
async function isLeft(
  key: readonly unknown[],
  { cancelled, service, waiting }: HookSettings,
): Promise<boolean> {
  if (cancelled?.aborted !== true) return false
  const name = await waiting.find(...key)
  if (name === null) return false
  const client = createClient({ ...service, timeoutMs: lookWithinMs })
  return client.find(name).then(
    (request) => request?.state === 'pending' || request?.state === 'approved',
    () => true,
  )
}

/**
 * The arguments that the agent must use because a person changed them; `null`: its own. If the
 * agent has no arguments that make the approved call, nothing runs: this function reports that, and
 * throws.
 */
async function inputToMake(
  event: HookEvent,
  allowed: HookedCall & Pick<AllowedCall<object>, 'requestId' | 'revision'>,
  { agent, root, service }: HookSettings,
): Promise<HookedCall['input'] | null> {
  if (allowed.revision === 1) return null
  const how = agent.edits?.[event.hook_event_name]
  const input = changedInputOf(event, allowed, root, agent.name)
  if (input !== null && how !== undefined && (how === 'replace' || hasAll(input, event)))
    return input
  const client = createClient({ ...service, timeoutMs: maxReportMs })
  await client.report(allowed.requestId, unmakeableReport(agent.title)).catch(() => undefined)
  throw new Error(unmakeableReason(allowed.input))
}

/**
 * Whether the input has every argument of the agent's, so that merging the two keeps no old value.
 */
function hasAll(input: HookedCall['input'], { tool_input }: HookEvent): boolean {
  return Object.keys(tool_input).every((name) => Object.hasOwn(input, name))
}

/** The call whose permit was taken, or why what has that name does not answer this call. */
async function takeUnder(
  externalId: string,
  event: HookEvent,
  of: {
    readonly call: HookedCall
    readonly settings: HookSettings
    readonly onAsked: (request: RequestSummary) => void
  },
): Promise<AllowedCall<HookedCall['input']> | { readonly why: string }> {
  const { call, onAsked } = of
  const { agent, cancelled, deadline, service } = of.settings
  const client = createClient(service)
  const mayChange = agent.edits?.[event.hook_event_name] !== undefined
  const request = await requestOfCall(
    call,
    { ...of.settings, title: agent.title },
    {
      externalId,
      isEditable: mayChange && canBeChanged(event, call),
      metadata: { program: agent.title, tool: event.tool_name, session: event.session_id },
    },
  )
  cancelled?.throwIfAborted()
  let isOpen = false
  try {
    return await client.take(request, {
      signal: cancelled === undefined ? deadline : AbortSignal.any([deadline, cancelled]),
      onAbort: () => (cancelled?.aborted === true ? 'withdraw' : 'leave'),
      openWithinMs,
      onAsked(one) {
        isOpen = true
        onAsked(one)
      },
    })
  } catch (error) {
    if (isOpen) throwIfForeign(service, error)
    if (error instanceof AlreadyTakenError) return { why: takenReason }
    if (error instanceof MismatchError) return { why: ofAnotherCall }
    return { why: await withdrawReused(client, error) }
  }
}

/**
 * The service has another request under this name: a file that the call names has changed since, so
 * that request is withdrawn. Returns why the call does not run. Throws every other error.
 */
export async function withdrawReused(client: Client, error: unknown): Promise<string> {
  if (!(error instanceof CountersignError) || error.code !== 'idempotency_key_reused') throw error
  const { request } = error.problem ?? {}
  if (typeof request === 'string') await client.withdraw(request).catch(() => undefined)
  return filesChanged
}

/** Throws at once if no service answers; at the deadline, its reason. */
export async function assertAnswers({ url }: ServiceAddress, deadline: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(answerWithinMs)])
  const answer = await fetch(new URL('/healthz', url), { signal }).catch(() => null)
  if (answer?.ok === true) return
  // The start of this process alone can take all the time there is.
  deadline.throwIfAborted()
  throw new CountersignError(
    'unavailable',
    `no service answers at ${url}, so this call does not run`,
  )
}

/**
 * Whether the state of a request is not known, since the service is away, busy or refuses the key.
 */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError'
  if (!(error instanceof CountersignError) || error.name !== 'CountersignError') return false
  const { code, status } = error
  return status === null ? code === 'unavailable' : passingStatuses.has(status) || status >= 500
}

/** Statuses that may change: of a refused key, and of a busy service. */
const passingStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429])

function waitingSentence({ number }: RequestSummary): string {
  return `this call has not run and waits as #${number}; ask again with exactly the same call, which continues the same request.`
}

function sentenceOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'the service did not answer in time, so this call does not run. Ask again later.'
  }
  return errorMessage(error)
}

/**
 * After the call: reports the outcome of a call that asked. Nothing depends on it, so it does not
 * wait long for a service that is away.
 */
export async function reportHook(
  event: HookEvent,
  { agent, service, waiting }: Pick<HookSettings, 'agent' | 'service' | 'waiting'>,
): Promise<void> {
  const own = externalIdOf(event, agent.name)
  const key = hookCallKey(event, { agent, service })
  const requestName = await waiting.find(...key)
  await waiting.forget(...key)
  const name = own === null ? requestName : ((await waiting.find(own)) ?? requestName ?? own)
  if (own !== null) await waiting.forget(own)
  if (name === null) return
  const client = createClient({ ...service, timeoutMs: maxReportMs })
  const request = await client.find(name)
  if (request === null) return
  const state = event.hook_event_name === 'PostToolUse' ? 'succeeded' : 'failed'
  await client.report(request.id, { state })
}

/** The name under which a call was allowed, if the agent gave it no id. */
function hookCallKey(
  { session_id, tool_input, tool_name }: HookEvent,
  { agent, service }: Pick<HookSettings, 'agent' | 'service'>,
): readonly unknown[] {
  return ['made', agent.name, service.url, session_id, tool_name, tool_input]
}
