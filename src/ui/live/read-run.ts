import { requestOf } from '#client/call.ts'
import type { UiPart } from '#domain/runs/ui-part.ts'
import { ask } from '../api/call-api.ts'
import { openStream } from './read-stream.ts'

/**
 * Reads a run's stream after the event `last` until it ends, and calls `on.at` with the id of each
 * part. Resolves to whether the run rests or has ended. Rejects if the stream cannot be opened or
 * breaks.
 */
export async function readRun(
  runId: string,
  from: { readonly last: string | null; readonly signal: AbortSignal },
  on: { readonly part: (part: UiPart) => void; readonly at: (id: string) => void },
): Promise<boolean> {
  const { last, signal } = from
  const headers = last === null ? {} : { 'last-event-id': last }
  const { response, events } = await openStream(
    () => ask({ ...requestOf('streamRun', { params: { id: runId }, signal }), headers }),
    signal,
  )
  if (response.status === 204 || response.body === null) return true
  for await (const value of events(response.body)) {
    if (value.data === '[DONE]') return true
    on.part(JSON.parse(value.data) as UiPart)
    if (value.id !== undefined) on.at(value.id)
  }
  return false
}
