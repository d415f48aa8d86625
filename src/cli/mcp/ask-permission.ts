import { randomUUID } from 'node:crypto'
import {
  callDigest,
  CountersignError,
  createClient,
  type Client,
  type Decision,
  type RequestSummary,
} from '#program-client'
import {
  assertAnswers,
  isUnanswered,
  requestLeft,
  withdrawReused,
  type ServiceAddress,
} from '../hook/answer-hook.ts'
import { isObject } from '#domain/json/is-object.ts'
import { takenReason } from '#domain/hooks/approved-call.ts'
import { canBeChanged, changedInputOf } from '#domain/hooks/call-of-event.ts'
import { errorMessage } from '#domain/error-message.ts'
import {
  denyPermission as deny,
  eventOfQuestion,
  type PermissionAnswer,
  type PermissionQuestion,
} from '#domain/hooks/permission-tool.ts'
import type { HookEvent } from '#domain/hooks/hook-event.ts'
import { callHere } from '../hook/call-here.ts'
import { throwIfForeign } from '../hook/throw-if-foreign.ts'
import { requestOfCall, type CallAsker } from '../hook/request-of-call.ts'
import type { WaitingCalls } from '../hook/waiting/waiting-calls.ts'

export interface PermissionSettings extends Pick<CallAsker, 'worker' | 'root' | 'hostProof'> {
  readonly service: ServiceAddress
  /** how long the service has to open a request */
  readonly askWithinMs: number
  /** how long people have; then the answer is a denial, and the request continues to wait */
  readonly waitMs: number
  /** the names under which calls wait, so that a later session continues their requests */
  readonly waiting: WaitingCalls
}

/**
 * Whether the call may be made: policy judges it, what asks waits for people, and the permit is
 * taken at once. Fails closed: whatever goes wrong is a denial with its sentence.
 */
export async function askPermission(
  question: PermissionQuestion,
  settings: PermissionSettings,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  try {
    return await ask(question, settings, signal)
  } catch (error) {
    return deny(errorMessage(error))
  }
}

/**
 * If the request of an equal call waits, also one of an earlier session, the call continues that
 * request. If that request was used, the call asks under a name of its own.
 */
async function ask(
  question: PermissionQuestion,
  settings: PermissionSettings,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { root, service, waiting } = settings
  await assertAnswers(service, signal)
  const { tool_name, input, tool_use_id } = question
  const key = ['permission-prompt-tool', root, tool_name, input]
  const own = tool_use_id ?? `permission:${randomUUID()}`
  let why = takenReason
  for (const externalId of await waiting.namesOf(own, ...key)) {
    await waiting.remember(externalId, ...key)
    try {
      const answer = await askUnder(externalId, question, settings, signal)
      if (answer.kind === 'used') {
        why = answer.why
        continue
      }
      if (answer.kind === 'decided') await waiting.forget(...key)
      return answer.answer
    } catch (error) {
      if (!signal.aborted && !isUnanswered(error)) await waiting.forget(...key)
      throw error
    }
  }
  throw new Error(`${why}.`)
}

/** `used`: an earlier call, or one with other files, has the request of that name; see `why`. */
type Answer =
  | { readonly kind: 'used'; readonly why: string }
  | { readonly kind: 'decided' | 'waits'; readonly answer: PermissionAnswer }

async function askUnder(
  externalId: string,
  question: PermissionQuestion,
  settings: PermissionSettings,
  signal: AbortSignal,
): Promise<Answer> {
  const { service, root } = settings
  const client = createClient(service)
  const { tool_name } = question
  const event = eventOfQuestion(question)
  const call = await callHere(event, root, 'claude-code')
  const body = await requestOfCall(
    call,
    { ...settings, title: 'Claude Code' },
    {
      externalId,
      isEditable: canBeChanged(event, call),
      metadata: { program: 'permission-prompt-tool', tool: tool_name },
    },
  )
  const within = AbortSignal.any([signal, AbortSignal.timeout(settings.askWithinMs)])
  let request: RequestSummary
  try {
    request = await client.ask(body, { signal: within })
  } catch (error) {
    const isWanted = isUnanswered(error) && !signal.aborted
    const late = isWanted ? await requestLeft(externalId, service) : null
    // The request is only named: without an answer of the service it may be about another call.
    if (late !== null) return { kind: 'waits', answer: deny(waitsAs(late)) }
    return { kind: 'used', why: await withdrawReused(client, error) }
  }
  try {
    return await answerOf(request, { client, event, question, settings, signal })
  } catch (error) {
    throwIfForeign(service, error)
    throw error
  }
}

/** What people decided, once the permit of an approval is taken. */
async function answerOf(
  request: RequestSummary,
  of: {
    readonly client: Client
    readonly event: HookEvent
    readonly question: PermissionQuestion
    readonly settings: PermissionSettings
    readonly signal: AbortSignal
  },
): Promise<Answer> {
  const { client, event, settings, signal } = of
  const { tool_name, input } = of.question
  const { id, number } = request
  const decision = await client.decision(id, { wait: settings.waitMs / 1000, signal })
  if (decision.state === 'pending') {
    return { kind: 'waits', answer: deny(waitsAs(request)) }
  }
  const endWith = (answer: PermissionAnswer) => ({ kind: 'decided' as const, answer })
  if (decision.state !== 'approved') return endWith(deny(sentenceOf(decision, number)))
  const { facts, input: approved, tool } = decision.request
  const digest = await callDigest({ tool, input: approved, toolHash: String(facts['toolHash']) })
  if (digest !== decision.digest || !isObject(approved))
    return endWith(deny(`another call was approved (#${number}).`))
  const updatedInput =
    decision.revision > 1 ? changedInputOf(event, { tool, input: approved }, settings.root) : input
  if (updatedInput === null) {
    const why = `other arguments were approved (#${number}), which ${tool_name} cannot take.`
    return endWith(deny(why))
  }
  try {
    await client.consume(id, decision.digest, { signal })
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'already_consumed') {
      return { kind: 'used', why: takenReason }
    }
    throw error
  }
  return endWith({ behavior: 'allow', updatedInput })
}

function waitsAs({ number }: Pick<RequestSummary, 'number'>): string {
  return `this call has not run and waits as #${number}. Ask again later.`
}

function sentenceOf({ state, decidedBy, reason }: Decision, number: number): string {
  if (state !== 'denied') return `the request #${number} is ${state}, so this call is not made.`
  const who = decidedBy ?? 'somebody'
  const why = reason === undefined || reason === '' ? '' : ` with the reason “${reason}”`
  return `${who} denied this call (#${number})${why}.`
}
