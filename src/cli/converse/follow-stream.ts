import { setTimeout as delay } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { requestOf } from '#client/call.ts'
import type { UiPart } from '#domain/runs/ui-part.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { type Service, ServiceProblem } from '../service/service.ts'

/** Pauses between attempts to reach a service that is away. */
const firstWaitMs = 250
const maxWaitMs = 5_000

/**
 * The events of a run's stream, until the run rests or has ended. A lost connection is reported
 * once as `lost`, and then resumed after the last event. Rejects if the run may no longer be seen.
 */
export async function* followStream(
  service: Service,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<UiPart | { readonly type: 'lost' | 'back' }> {
  let [after, wait, isLost]: [string | null, number, boolean] = [null, firstWaitMs, false]
  while (!signal.aborted) {
    try {
      for await (const { id, data } of eventsOf(service, { runId, after, signal })) {
        if (isLost) yield { type: 'back' }
        ;[after, wait, isLost] = [id ?? after, firstWaitMs, false]
        if (data === '[DONE]') return
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's own words
        yield JSON.parse(data) as UiPart
      }
      const { state } = await service.call('getRun', { params: { id: runId }, signal })
      if (state !== 'running' && state !== 'waiting_for_approval') return
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
      if (!isLost) yield { type: 'lost' }
      isLost = true
    }
    await delay(wait, null, { signal }).catch(() => null)
    wait = Math.min(maxWaitMs, wait * 2)
  }
}

/** A refusal that does not change on another attempt. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ServiceProblem) return error.status < 500 && error.status !== 429
  // There was no answer, or it was cut off.
  return !(error instanceof CommandFailure || error instanceof TypeError)
}

async function* eventsOf(
  service: Service,
  from: { readonly runId: string; readonly after: string | null; readonly signal: AbortSignal },
): AsyncGenerator<{ readonly id: string | undefined; readonly data: string }> {
  const { runId, after, signal } = from
  const request = requestOf('streamRun', { params: { id: runId }, signal })
  const headers = after === null ? {} : { 'last-event-id': after }
  const events: { id: string | undefined; data: string }[] = []
  const parser = createParser({ onEvent: ({ id, data }) => void events.push({ id, data }) })
  const decoder = new TextDecoder()
  for await (const chunk of service.chunks({ ...request, headers })) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}
