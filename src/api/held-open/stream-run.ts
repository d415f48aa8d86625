import type { Response } from 'express'
import type { StreamCursor } from '#services/runs/streaming/stream-cursor.ts'
import type { StreamProgress } from '#services/runs/streaming/advance-stream.ts'
import type { UiEvent } from '#domain/runs/ui-part.ts'
import { StreamWakeups, writeWhole } from './wakes.ts'

/** How one reader's stream of a run goes. */
export interface RunStreamOptions {
  readonly begin: StreamCursor
  /** what there is behind a cursor now */
  readonly read: (cursor: StreamCursor) => Promise<StreamProgress>
  /** Calls the listener when there may be more to read. Returns how to stop. */
  readonly subscribe: (listener: () => void) => () => void
  /** whether the reader may still read; asked at most once a second, and at each heartbeat */
  readonly admit: () => Promise<boolean>
  readonly heartbeatMs: number
  /** each fires when the stream ends early: the reader comes back with its last id */
  readonly ending: readonly AbortSignal[]
}

const admitEveryMs = 1000

/**
 * Writes a run's stream to a response until it is over or the reader leaves. A slow reader is
 * waited for, and gets what there is by then.
 */
export async function streamRun(response: Response, options: RunStreamOptions): Promise<void> {
  const wakes = new StreamWakeups()
  // Listening begins before the first read: what is written in between wakes the second.
  const unsubscribe = options.subscribe(() => wakes.wake())
  const heartbeat = setInterval(() => wakes.beat(), options.heartbeatMs)
  const close = (): void => wakes.close()
  response.on('close', close)
  const ending = AbortSignal.any([...options.ending])
  ending.addEventListener('abort', close)
  if (ending.aborted) close()
  try {
    open(response)
    let cursor = options.begin
    let admittedAt = performance.now()
    while (!wakes.isClosed) {
      if (performance.now() - admittedAt > admitEveryMs) {
        if (!(await options.admit())) return
        admittedAt = performance.now()
      }
      const progress = await options.read(cursor)
      for (const event of progress.events) await writeWhole(response, wakes, frameOf(event))
      const isNextTurn = progress.cursor.turn > cursor.turn
      cursor = progress.cursor
      if (cursor.stage === 'done') return
      if (isNextTurn) continue
      if ((await wakes.next()) === 'beat') await writeWhole(response, wakes, ': waiting\n\n')
    }
  } finally {
    clearInterval(heartbeat)
    ending.removeEventListener('abort', close)
    unsubscribe()
    response.end()
  }
}

function open(response: Response): void {
  response.status(200)
  response.set({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-vercel-ai-ui-message-stream': 'v1',
    // Proxies that buffer would hold the text back.
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
}

function frameOf({ id, part }: UiEvent): string {
  return `id: ${id}\ndata: ${part === '[DONE]' ? part : JSON.stringify(part)}\n\n`
}
