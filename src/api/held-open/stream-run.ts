import type { Response } from 'express'
import type { StreamCursor } from '#services/runs/streaming/stream-cursor.ts'
import type { StreamProgress } from '#services/runs/streaming/advance-stream.ts'
import type { UiEvent } from '#domain/runs/ui-part.ts'
import { StreamWakeups, writeWhole } from './stream-wakeups.ts'

/** The form of a run's stream in a protocol. */
export interface StreamFormat {
  readonly headers: Readonly<Record<string, string>>
  /** written before everything else */
  readonly first: string
  /** the text of an event; an id begins with the turn that the event is of */
  readonly frame: (event: UiEvent) => string
  /** the last text, where the stream ends before the run does; `null`: it stays open */
  readonly endEarly: () => Promise<string | null>
}

const uiMessageStream: StreamFormat = {
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  first: '',
  frame: ({ id, part }) =>
    `id: ${id}\ndata: ${part === '[DONE]' ? part : JSON.stringify(part)}\n\n`,
  endEarly: async () => null,
}

/** One reader's stream of a run. */
export interface RunStreamOptions {
  readonly begin: StreamCursor
  /** the next part after a cursor */
  readonly read: (cursor: StreamCursor) => Promise<StreamProgress>
  /** Calls the listener when there may be more to read. Returns a function that stops it. */
  readonly subscribe: (listener: () => void) => () => void
  /** whether the reader may still read; called at most once a second, and at each heartbeat */
  readonly admit: () => Promise<boolean>
  readonly heartbeatMs: number
  /** how events are written; absent: as the AI SDK's UI message stream */
  readonly format?: StreamFormat
  /** each fires when the stream ends early: the reader connects again with its last id */
  readonly ending: readonly AbortSignal[]
}

const admitEveryMs = 1000

/**
 * Writes a run's stream to a response until it is over or the reader leaves. It waits for a slow
 * reader, who then gets everything that was added meanwhile.
 */
export async function streamRun(response: Response, options: RunStreamOptions): Promise<void> {
  const wakes = new StreamWakeups()
  const { format = uiMessageStream } = options
  // Listening begins before the first read: text in between wakes the second read.
  const unsubscribe = options.subscribe(() => wakes.wake())
  const heartbeat = setInterval(() => wakes.beat(), options.heartbeatMs)
  const close = (): void => wakes.close()
  response.on('close', close)
  const ending = AbortSignal.any([...options.ending])
  ending.addEventListener('abort', close)
  if (ending.aborted) close()
  try {
    open(response, format)
    let cursor = options.begin
    let admittedAt = performance.now()
    while (!wakes.isClosed) {
      if (performance.now() - admittedAt > admitEveryMs) {
        if (!(await options.admit())) return
        admittedAt = performance.now()
      }
      const progress = await options.read(cursor)
      for (const event of progress.events) {
        const text = format.frame(event)
        if (text !== '') await writeWhole(response, wakes, text)
      }
      const isNextTurn = progress.cursor.turn > cursor.turn
      cursor = progress.cursor
      if (cursor.stage === 'done') return
      if (isNextTurn) continue
      const last = await format.endEarly()
      if (last !== null) {
        await writeWhole(response, wakes, last)
        return
      }
      if ((await wakes.next()) === 'beat') await writeWhole(response, wakes, ': waiting\n\n')
    }
  } finally {
    clearInterval(heartbeat)
    ending.removeEventListener('abort', close)
    unsubscribe()
    response.end()
  }
}

function open(response: Response, { headers, first }: StreamFormat): void {
  response.status(200)
  response.set({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    ...headers,
    // Proxies with buffers would delay the text.
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  if (first !== '') response.write(first)
}
