import { createHash, randomUUID } from 'node:crypto'
import { createClient } from '#program-client'
import { callOfEvent } from './event/call-of-event.ts'
import type { HookDecision, HookEvent } from './event/hook-event.ts'
import { originOfCall } from './origin/origin-of-call.ts'

/** How the service is reached. */
export interface ServiceAddress {
  readonly url: string
  readonly apiKey: string
}

/** How this hook asks. */
export interface HookSettings {
  readonly service: ServiceAddress
  /** whose policy judges first; absent: every call is asked about */
  readonly worker?: string
  /** absolute path of the workspace root */
  readonly root: string
  /** of this host's own service; `null`: it is another's */
  readonly hostProof: Uint8Array | null
  /**
   * how long people have; less than Claude Code gives the hook, which goes on without it afterwards
   */
  readonly waitMs: number
}

const thereWithinMs = 10_000
const openWithinMs = 20_000
const maxReportMs = 10_000

/**
 * Whether Claude Code may make a call: policy judges it first, and what asks waits for people, at
 * most `waitMs`. Fails closed: whatever goes wrong is a denial with its sentence.
 */
export async function decideHook(event: HookEvent, settings: HookSettings): Promise<HookDecision> {
  const { service, waitMs, worker } = settings
  try {
    await assertThere(service)
    const call = callOfEvent(event, settings.root)
    const origin = await originOfCall(call, { key: settings.hostProof, root: settings.root })
    const { requestId } = await createClient(service).take(
      {
        ...call,
        ...(origin === null ? {} : { origin }),
        ...(worker === undefined ? {} : { worker }),
        externalId: externalIdOf(event) ?? `claude-code:${randomUUID()}`,
        metadata: { program: 'Claude Code', tool: event.tool_name, session: event.session_id },
      },
      { signal: AbortSignal.timeout(waitMs), openWithinMs },
    )
    return { decision: 'allow', reason: `Countersign allowed this (request ${requestId}).` }
  } catch (error) {
    return { decision: 'deny', reason: `Countersign: ${sentenceOf(error)}` }
  }
}

/** A service that is away is said at once, and not waited for. */
async function assertThere({ url }: ServiceAddress): Promise<void> {
  const signal = AbortSignal.timeout(thereWithinMs)
  const answer = await fetch(new URL('/healthz', url), { signal }).catch(() => null)
  if (answer?.ok !== true) throw new Error(`no service answers at ${url}, so this is not done`)
}

function sentenceOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'nobody answered in time, so this is not done. Ask again later, or go another way.'
  }
  return error instanceof Error ? error.message : String(error)
}

/**
 * After the call: tells what became of it, where it was asked about. Nothing depends on it, so that
 * a service which is away is not waited for long.
 */
export async function reportHook(event: HookEvent, service: ServiceAddress): Promise<void> {
  const externalId = externalIdOf(event)
  if (externalId === null) return
  const client = createClient({ ...service, timeoutMs: maxReportMs })
  const request = await client.find(externalId)
  if (request === null) return
  const state = event.hook_event_name === 'PostToolUse' ? 'succeeded' : 'failed'
  await client.report(request.id, { state })
}

/** The same before and after; `null` of a version of Claude Code that does not number its calls. */
function externalIdOf({ session_id: session, tool_use_id: call }: HookEvent): string | null {
  if (call === undefined) return null
  const name = `claude-code:${session}:${call}`
  return name.length <= 200
    ? name
    : `claude-code:${createHash('sha256').update(name).digest('hex')}`
}
