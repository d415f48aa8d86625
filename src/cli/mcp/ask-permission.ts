import { randomUUID } from 'node:crypto'
import { callDigest, createClient, type Decision } from '#program-client'
import { assertThere, isUnanswered, type ServiceAddress } from '../hook/answer-hook.ts'
import type { HookEvent } from '#domain/hooks/hook-event.ts'
import { isObject } from '#domain/json/is-object.ts'
import { canBeChanged, changedInputOf } from '#domain/hooks/call-of-event.ts'
import { errorMessage } from '#domain/error-message.ts'
import { callHere } from '../hook/call-here.ts'
import { originOfCall } from '../hook/origin/origin-of-call.ts'

export interface PermissionSettings {
  readonly service: ServiceAddress
  /** whose policy judges first; absent: every call is asked about */
  readonly worker?: string
  /** absolute path of the folder in which the agent works */
  readonly root: string
  /** of this host's own service; `null`: it is another's */
  readonly hostProof: Uint8Array | null
  /** how long people have; then the answer is a denial, and the request continues to wait */
  readonly waitMs: number
}

/** What a `--permission-prompt-tool` is asked. */
export interface PermissionQuestion {
  readonly tool_name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly tool_use_id?: string | undefined
}

/** What it answers. */
export type PermissionAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput: PermissionQuestion['input'] }
  | { readonly behavior: 'deny'; readonly message: string }

const askWithinMs = 20_000
const maxLateIds = 100
/**
 * The external ids of calls that were denied because nobody decided in time, or because the service
 * was away. A model that tries again gives its call another id, and then continues the request that
 * waits.
 */
const lateIds = new Map<string, string>()

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

async function ask(
  question: PermissionQuestion,
  settings: PermissionSettings,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { service, worker, root } = settings
  await assertThere({ late: signal, service })
  const client = createClient(service)
  const { tool_name, input, tool_use_id } = question
  const event = eventOf(question)
  const call = await callHere(event, root, 'claude-code')
  const origin = await originOfCall(call, {
    key: settings.hostProof,
    program: 'Claude Code',
    root,
  })
  const key = JSON.stringify([tool_name, input])
  const externalId = lateIds.get(key) ?? tool_use_id ?? `permission:${randomUUID()}`
  lateIds.delete(key)
  const keepId = (): void => {
    if (lateIds.size < maxLateIds) lateIds.set(key, externalId)
  }
  const askAndWait = async () => {
    const { id, number } = await client.ask(
      {
        ...call,
        ...(origin === null ? {} : { origin }),
        ...(worker === undefined ? {} : { worker }),
        externalId,
        ...(canBeChanged(event, call) ? {} : { edits: 'off' as const }),
        metadata: { program: 'permission-prompt-tool', tool: tool_name },
      },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(askWithinMs)]) },
    )
    return {
      id,
      number,
      decision: await client.decision(id, { wait: settings.waitMs / 1000, signal }),
    }
  }
  const { decision, id, number } = await askAndWait().catch((error: unknown) => {
    if (isUnanswered(error)) keepId()
    throw error
  })
  if (decision.state === 'pending') {
    keepId()
    return deny(`this call has not run and waits as #${number}. Ask again later.`)
  }
  if (decision.state !== 'approved') return deny(sentenceOf(decision, number))
  const { facts, input: approved, tool } = decision.request
  const digest = await callDigest({ tool, input: approved, toolHash: String(facts['toolHash']) })
  if (digest !== decision.digest || !isObject(approved))
    return deny(`another call was approved (#${number}).`)
  const updatedInput =
    decision.revision > 1 ? changedInputOf(event, { tool, input: approved }, root) : input
  if (updatedInput === null)
    return deny(`other arguments were approved (#${number}), which ${tool_name} cannot take.`)
  await client.consume(id, decision.digest, { signal })
  return { behavior: 'allow', updatedInput }
}

function eventOf({ tool_name, input }: PermissionQuestion): HookEvent {
  const session_id = 'permission-prompt-tool'
  return { hook_event_name: 'PreToolUse', session_id, tool_name, tool_input: { ...input } }
}

function sentenceOf({ state, decidedBy, reason }: Decision, number: number): string {
  if (state !== 'denied') return `the request #${number} is ${state}, so this call is not made.`
  const who = decidedBy ?? 'somebody'
  const why = reason === undefined || reason === '' ? '' : ` with the reason “${reason}”`
  return `${who} denied this call (#${number})${why}.`
}

function deny(sentence: string): PermissionAnswer {
  return { behavior: 'deny', message: `Countersign: ${sentence}` }
}
