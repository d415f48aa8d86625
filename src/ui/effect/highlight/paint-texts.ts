import type { PaintAnswer, PaintedLine, PaintJob } from './paint-kinds.ts'
import { paintWorkerAddress } from './worker-address.ts'

/** After this long the web worker is terminated, and the text is shown without colour. */
const limitMs = 10_000

interface WaitingJob {
  readonly job: PaintJob
  readonly resolve: (texts: PaintAnswer['texts']) => void
}

let worker: Worker | null = null
let lastId = 0
let current: WaitingJob | null = null
const queue: WaitingJob[] = []
let timer = 0

/**
 * Parses texts in a web worker, one job after the other, and resolves to the parts of their lines.
 * `null`: it took over ten seconds, or the web worker failed. Never rejects.
 */
export function paintTexts(
  language: string,
  texts: readonly string[],
): Promise<readonly (readonly PaintedLine[])[] | null> {
  return new Promise((resolve) => {
    lastId += 1
    queue.push({ job: { id: lastId, language, texts }, resolve })
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
    // A browser without module workers shows the text without colour.
    end()
  }
}

function start(): Worker {
  const newWorker = new Worker(paintWorkerAddress, { type: 'module' })
  newWorker.addEventListener('message', ({ data }: MessageEvent<PaintAnswer>) => {
    if (data.id === current?.job.id) settle(data.texts)
  })
  newWorker.addEventListener('error', end)
  return newWorker
}

/**
 * Terminates a web worker that takes too long or has failed, so that a hostile text costs one job
 * and not the page.
 */
function end(): void {
  worker?.terminate()
  worker = null
  settle(null)
}

function settle(texts: PaintAnswer['texts']): void {
  window.clearTimeout(timer)
  const job = current
  current = null
  job?.resolve(texts)
  next()
}
