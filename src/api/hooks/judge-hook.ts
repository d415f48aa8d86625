import { randomUUID } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Request, Response } from 'express'
import {
  allowedCall,
  secondHookReason,
  takenReason,
  unmakeableReason,
  unmakeableReport,
} from '#domain/hooks/approved-call.ts'
import { callOfEvent, canBeChanged, changedInputOf } from '#domain/hooks/call-of-event.ts'
import { externalIdOf } from '#domain/hooks/external-id.ts'
import { HookInputError, type HookDecision, type HookEvent } from '#domain/hooks/hook-event.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { cancelledWords } from '#domain/text/cancel-reason-words.ts'
import type { Caller } from '#services/core/context.ts'
import { consumePermit } from '#services/external/consume-permit.ts'
import { reportOutcome } from '#services/external/report-outcome.ts'
import { openExternal } from '#services/external/open-external.ts'
import {
  findOpenCall,
  hookCallOf,
  isTakenFor,
  readHookedRequest,
  recordRefusalReply,
  recordHookUse,
  recordWaiter,
  type HookedRequest,
} from '#services/hooks/hooked-call.ts'
import type { ExternalInput } from '#services/requests/facts/external-input.ts'
import { issueSentence } from '#tools/definition/issue-sentence.ts'
import type { Api } from '../context/api.ts'
import { endSignal, waitForRequest } from '../held-open/wait-for-request.ts'
import { externalBody } from '../schemas/requests/external.ts'
import { hookHost } from '../schemas/requests/hooks.ts'

/** An event, and the settings of its agent. */
export interface ReceivedEvent {
  readonly agent: { readonly name: string; readonly title: string }
  readonly event: HookEvent
  readonly worker: string | null
  readonly root: string | null
  readonly host: string
  readonly waitMs: number
  /**
   * For an agent whose events have no session: what else an equal call has in common. `isOnce`: no
   * later call continues this one. `null`: the session says it.
   */
  readonly scope: { readonly name: string; readonly isOnce: boolean } | null
}

/** The names by which a call is found again: the same in the event before and after it. */
export interface NamedCall {
  readonly hookCall: string
  /** by the agent's own id of the call */
  readonly use: string | null
}

/** The names of a call of an event. */
export function namedCallOf(
  { agent, event, worker, root, scope }: ReceivedEvent,
  input = event.tool_input as JsonObject,
): NamedCall {
  const call = {
    agent: agent.name,
    session: event.session_id,
    tool: event.tool_name,
    worker,
    root,
    ...(scope === null ? {} : { scope: scope.name }),
  }
  return { hookCall: hookCallOf({ ...call, input }), use: externalIdOf(event, agent.name) }
}

type Verdict = Exclude<HookDecision, { decision: 'none' }>

/** The answer that an agent waits for. */
export interface HookWaiter {
  readonly response: Response
  /** whether the key that the event came with still counts */
  readonly isKnown: () => Promise<boolean>
}

/**
 * Judges whether an agent may make a call by policy, and waits for people if it asks. The request
 * of an equal call of the same session continues. The permit is consumed only while the agent is
 * connected, and without a session by the newest equal call. Rejects as `openExternal` and
 * `consumePermit` do.
 */
export async function judgeHook(
  api: Api,
  caller: Caller,
  received: ReceivedEvent,
  { response, isKnown }: HookWaiter,
): Promise<Verdict> {
  const endsAt = performance.now() + received.waitMs
  const clientEnd = endSignal(api, response)
  const named = namedCallOf(received)
  const waiter = `${waitsPrefix}${randomUUID()}`
  const isReplaced = (one: HookedRequest): boolean =>
    received.scope !== null && !one.isTaken && one.waiter !== waiter
  const call = inputOf(received, named)
  const own = call.externalId
  const earlier = await findOpenCall(api.ctx, caller, named.hookCall)
  let earlierId: string | null = null
  for (const externalId of earlier === null || earlier === own ? [own] : [earlier, own]) {
    if (externalId === own && (await isSecondHook(api, caller, named, earlierId))) {
      return deny(`${secondHookReason}.`)
    }
    const requestId = await openHookRequest(api, caller, { ...call, externalId }, own)
    if (requestId === null) continue
    earlierId = requestId
    // The agent may have given up an older equal call, which must not take the permit.
    if (received.scope !== null) await recordWaiter(api.ctx, requestId, waiter)
    const read = (): Promise<HookedRequest> => readHookedRequest(api.ctx, requestId)
    const withinMs = Math.max(0, Math.ceil(endsAt - performance.now()))
    const waiting = { withinMs, read, isKnown, isOver: isReplaced }
    const latest = await waitForRequest(api, response, waiting)
    if (latest.isTaken) continue
    if (isReplaced(latest)) return deny(newerWaits(latest))
    const { state } = latest
    if (state === 'pending') return deny(waits(latest, received))
    if (state !== 'approved') {
      await recordRefusalReply(api.ctx, requestId)
      return deny(endAnswer(latest))
    }
    // Nobody is connected to get the permit: the same call finds it later.
    if (clientEnd.aborted || response.destroyed) return deny(waits(latest, received))
    if (!(await take(api, caller, latest))) continue
    // At once, so that a second hook of this call finds it, also if the call cannot be made.
    await recordHookUse(api.ctx, requestId, named)
    const input = await inputToMake(api, caller, received, latest)
    if (input !== null) await recordHookUse(api.ctx, requestId, namedCallOf(received, input))
    return allowedCall(requestId, input)
  }
  return deny(`${takenReason}.`)
}

/**
 * Begins the name of a waiting hook in `hook_use`, which later names the call that took the permit.
 */
const waitsPrefix = 'waits:'

/** How many times, and how far apart, to look who has just taken a permit. */
const takerAttempts = 20
const takerPauseMs = 50

/**
 * Whether another hook of this same call has taken the permit of an earlier, equal one. Which call
 * took it is stored a moment after that.
 */
async function isSecondHook(
  { ctx }: Api,
  caller: Caller,
  { hookCall, use }: NamedCall,
  earlierId: string | null,
): Promise<boolean> {
  if (use === null) return false
  if (earlierId !== null) {
    for (let attempt = 1; attempt <= takerAttempts; attempt += 1) {
      const { waiter } = await readHookedRequest(ctx, earlierId)
      if (waiter !== null && !waiter.startsWith(waitsPrefix)) return waiter === use
      await delay(takerPauseMs)
    }
  }
  return isTakenFor(ctx, caller, { hookCall, use })
}

/** The call as a program's request, with the same bounds. Throws `invalid_request`. */
function inputOf(received: ReceivedEvent, { hookCall, use }: NamedCall): ExternalInput {
  const { agent, event, host, root, worker } = received
  const folder = root ?? event.cwd ?? ''
  const call = callOfEvent(event, root, agent.name)
  const body = externalBody.safeParse({
    ...call,
    ...(worker === null ? {} : { worker }),
    ...(folder === '' || folder.length > limits.originFolderCharacters
      ? {}
      : { origin: { program: agent.title, host, folder } }),
    // Otherwise the agent cannot make the call with other arguments than its own.
    ...(canBeChanged(event, call) ? {} : { edits: 'off' }),
    externalId: use ?? `${agent.name}:${randomUUID()}`,
    metadata: { program: agent.title, tool: event.tool_name, session: event.session_id },
  })
  if (!body.success) {
    const [issue] = body.error.issues
    const field = issue?.path.join('.') ?? ''
    const message = issue === undefined ? 'is not valid' : issueSentence(issue)
    throw new Problem('invalid_request', `${field} ${message}`, { field, message })
  }
  const { callbackUrl: _, ...externalCall } = body.data
  return {
    ...(externalCall as Omit<ExternalInput, 'hookCall'>),
    hookCall,
    hasNoRoot: root === null,
  }
}

/**
 * The id of the request of that name; `null` where the name belongs to another call. A request
 * about an earlier state of the call is left alone.
 */
async function openHookRequest(
  api: Api,
  caller: Caller,
  call: ExternalInput,
  own: string,
): Promise<string | null> {
  try {
    return (await openExternal(api.ctx, caller, call)).requestId
  } catch (error) {
    const isReused = error instanceof Problem && error.code === 'idempotency_key_reused'
    if (isReused && call.externalId !== own) return null
    throw error
  }
}

/**
 * The arguments that the agent must use because a person changed them; `null`: its own. If it has
 * no arguments for what was approved, nothing runs: reports that, and throws `invalid_request`.
 */
async function inputToMake(
  api: Api,
  caller: Caller,
  { agent, event, root }: ReceivedEvent,
  { changed, id }: HookedRequest,
): Promise<JsonObject | null> {
  if (changed === null) return null
  const input = changedInputOf(event, changed, root, agent.name)
  if (input !== null) return input as JsonObject
  await reportOutcome(api.ctx, caller, { request: id, ...unmakeableReport(agent.title) })
  throw new Problem('invalid_request', unmakeableReason(changed.input))
}

/** False if another caller has just consumed it. */
async function take(api: Api, caller: Caller, { id, digest }: HookedRequest): Promise<boolean> {
  try {
    await consumePermit(api.ctx, caller, { request: id, digest })
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'already_consumed') return false
    // Revoked, or not used in time: reported once, then the same call asks again.
    if (error instanceof Problem && error.status < 500) await recordRefusalReply(api.ctx, id)
    throw error
  }
}

function waits({ number }: HookedRequest, { scope }: ReceivedEvent): string {
  if (scope?.isOnce === true) {
    return `this call has not run and waits as #${number}. A repeated call opens a request of its own, because the agent's settings name no folder (the header countersign-root).`
  }
  return `this call has not run and waits as #${number}; ask again with exactly the same call, which continues the same request.`
}

function newerWaits({ number }: HookedRequest): string {
  return `this call has not run: a newer equal call waits as #${number} in its place.`
}

function endAnswer({ number, state, deniedBy, reason, cancelReason }: HookedRequest): string {
  if (state === 'denied') {
    const why = reason === null || reason === '' ? '' : ` with the reason “${reason}”`
    return `${deniedBy ?? 'somebody'} denied this (#${number})${why}.`
  }
  if (state === 'expired') return `nobody decided in time, so this call does not run (#${number}).`
  return `this call does not run: #${number} was ${cancelledWords(cancelReason)}.`
}

/** A denial, with a sentence for the model and the person. */
export function deny(sentence: string): Extract<HookDecision, { decision: 'deny' }> {
  return { decision: 'deny', reason: `Countersign: ${sentence}` }
}

/** An absolute path of bounded length; `null` for everything else. */
export function rootOf(path: string): string | null {
  return path.length <= limits.originFolderCharacters && isAbsolute(path) ? path : null
}

/** The machine of the agent, as its settings name it. */
export function hostOf(request: Request): string {
  const host = hookHost.safeParse(request.get('countersign-host'))
  return host.success ? host.data : 'not reported'
}

/** The sentence of a denial after an error. An error that is nobody's mistake is logged. */
export function denialSentence({ ctx }: Api, error: unknown): string {
  if (error instanceof HookInputError) return `${error.message}.`
  if (error instanceof Problem && error.status < 500) return `${error.message}.`
  if (!(error instanceof Problem)) ctx.log.error({ err: error }, 'A hook could not be judged')
  return 'this call could not be judged, so it does not run. Ask again later.'
}
