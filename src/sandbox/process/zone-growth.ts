import { lstat, statfs } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { CommandLimits } from './command-limits.ts'
import type { FileTotals, ToMeasure } from './measure-thread.ts'
import { threadEnvironment } from './thread-environment.ts'

/** How often a file system that does not count its files is measured, however little it changed. */
const measureEveryMs = 5000
/** The largest share of time for measurements, so that large zones are not read all the time. */
const measureShare = 10

/** One file system of writable zones, and the space that was free on it. */
interface Volume {
  readonly path: string
  freeBytes: number
  freeFiles: number
  readonly countsFiles: boolean
}

/**
 * What is new below a command's writable zones since it began. A look takes two calls for each file
 * system; zones are measured, in a thread, only once their file system has lost so much space that
 * the command may be the cause.
 */
export class ZoneGrowth {
  readonly #zones: readonly string[]
  readonly #limits: CommandLimits
  readonly #since = Date.now()
  readonly #volumes: Promise<readonly Volume[]>
  #totals: FileTotals = { bytes: 0, files: 0 }
  #thread: Worker | null = null
  #nextMeasureMs = performance.now() + measureEveryMs
  #isClosed = false

  constructor(zones: readonly string[], limits: CommandLimits) {
    this.#zones = zones
    this.#limits = limits
    this.#volumes = volumesOf(zones)
  }

  /** What is new, by the last measurement. */
  get totals(): FileTotals {
    return this.#totals
  }

  /** Looks at the free space of each file system, and measures the zones where too much is gone. */
  async look(): Promise<void> {
    const { files: maxFiles, writtenBytes } = this.#limits
    for (const volume of await this.#volumes) {
      const stats = await statfs(volume.path).catch(() => null)
      if (stats === null) continue
      const lost = volume.freeBytes - stats.bfree * stats.bsize
      const filesLost = volume.freeFiles - stats.ffree
      const isLess = lost > writtenBytes / 4 || filesLost > maxFiles / 4
      const isDue = !volume.countsFiles && performance.now() > this.#nextMeasureMs
      if ((!isLess && !isDue) || this.#thread !== null || this.#isClosed) continue
      volume.freeBytes -= Math.max(0, lost)
      volume.freeFiles -= Math.max(0, filesLost)
      const begunMs = performance.now()
      this.#totals = await this.#measure({
        zones: this.#zones,
        since: this.#since,
        maxFiles: maxFiles + 1,
      })
      const tookMs = performance.now() - begunMs
      this.#nextMeasureMs = performance.now() + Math.max(measureEveryMs, tookMs * measureShare)
    }
  }

  close(): void {
    this.#isClosed = true
    void this.#thread?.terminate()
  }

  /** Measures the zones. If the thread fails, the result is the last measurement. */
  #measure(question: ToMeasure): Promise<FileTotals> {
    const { promise, resolve } = Promise.withResolvers<FileTotals>()
    const totals = this.#totals
    const thread = new Worker(new URL('measure-thread.ts', import.meta.url), {
      workerData: question,
      env: threadEnvironment(),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    this.#thread = thread
    thread.once('message', resolve)
    thread.once('error', () => resolve(totals))
    thread.once('exit', () => {
      this.#thread = null
      resolve(totals)
    })
    return promise
  }
}

async function volumesOf(zones: readonly string[]): Promise<readonly Volume[]> {
  const volumes = new Map<bigint, Volume>()
  for (const path of zones) {
    const state = await lstat(path, { bigint: true }).catch(() => null)
    const stats = await statfs(path).catch(() => null)
    if (state === null || stats === null || volumes.has(state.dev)) continue
    volumes.set(state.dev, {
      path,
      freeBytes: stats.bfree * stats.bsize,
      freeFiles: stats.ffree,
      countsFiles: stats.files > 0,
    })
  }
  return [...volumes.values()]
}
