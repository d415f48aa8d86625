import type { PaintAnswer, PaintedLine, PaintJob } from './paint-kinds.ts'
import { paintWorkerAddress } from './worker-address.ts'

/** After this long a text is shown without colour, and the worker that reads it is ended. */
const limitMs = 10_000

interface WaitingJob {
  readonly job: PaintJob
  readonly done: (texts: PaintAnswer['texts']) => void
}

let worker: Worker | null = null
let lastId = 0
let current: WaitingJob | null = null
const queue: WaitingJob[] = []
let timer = 0

/**
 * The parts of each line of each text, read in a worker, one job after the other. `null`: it took
 * more than ten seconds, or the worker could not run. Never rejects.
 */
export function paintTexts(
  language: string,
  texts: readonly string[],
): Promise<readonly (readonly PaintedLine[])[] | null> {
  return new Promise((done) => {
    lastId += 1
    queue.push({ job: { id: lastId, language, texts }, done })
    next()
  })
}

function next(): void {
  if (current !== null) return
  current = queue.shift() ?? null
  if (current === null) return
  timer = window.setTimeout(end, limitMs)
  try {
    worker ??= start()
    worker.postMessage(current.job)
  } catch {
    // A browser that runs no such worker shows the text without colour.
    end()
  }
}

function start(): Worker {
  const started = new Worker(paintWorkerAddress, { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<PaintAnswer>) => {
    if (data.id === current?.job.id) settle(data.texts)
  })
  started.addEventListener('error', end)
  return started
}

/** Ends a worker that takes too long or has failed: hostile text costs one job, not the page. */
function end(): void {
  worker?.terminate()
  worker = null
  settle(null)
}

function settle(texts: PaintAnswer['texts']): void {
  window.clearTimeout(timer)
  const settled = current
  current = null
  settled?.done(texts)
  next()
}
