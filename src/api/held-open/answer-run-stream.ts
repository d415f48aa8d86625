import type { Request, Response } from 'express'
import type { Caller } from '#services/core/context.ts'
import { isVisible, readRunStream } from '#services/runs/streaming/read-run-stream.ts'
import type { StreamCursor } from '#services/runs/streaming/stream-cursor.ts'
import type { Api } from '../context/api.ts'
import type { Identity } from '../identity/identity.ts'
import { holdStream, isStillKnown } from './hold-stream.ts'
import { streamRun, type StreamFormat } from './stream-run.ts'
import { waitersOf } from './subject-waiters.ts'

/** A waiting stream writes this often, so that no proxy closes it. */
const heartbeatMs = 15_000

/** The reader of a run's stream, the position, and the protocol. */
export interface RunReader {
  readonly request: Request
  readonly caller: Caller
  readonly identity: Identity
  /** a run that the caller may see */
  readonly runId: string
  readonly begin: StreamCursor
  /** absent: the AI SDK's UI message stream */
  readonly format?: StreamFormat
}

/**
 * Answers with a run's stream until it is over, the reader disconnects or may no longer read, or
 * the service stops. It counts as one of the streams of the session or key. Throws `rate_limited`.
 */
export async function answerRunStream(
  api: Api,
  response: Response,
  { request, caller, identity, runId, begin, format }: RunReader,
): Promise<void> {
  const { replaced, release } = holdStream(request, identity)
  response.on('close', release)
  await streamRun(response, {
    begin,
    heartbeatMs,
    ...(format === undefined ? {} : { format }),
    read: (cursor) => readRunStream(api.ctx, { runId, cursor }),
    subscribe: (listener) => {
      const stops = [
        waitersOf(api.events).watch(runId, listener),
        api.events.subscribeText(runId, listener),
      ]
      return () => stops.forEach((stop) => stop())
    },
    admit: async () =>
      (await isStillKnown(api, request, identity)) && isVisible(api.ctx, caller, runId),
    ending: api.stopping === undefined ? [replaced] : [replaced, api.stopping],
  })
}
