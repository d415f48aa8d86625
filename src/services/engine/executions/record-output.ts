import type { OutputStream } from '#domain/tools/tool-result.ts'
import { maxLiveBytes, putLiveOutput } from '#store/content/live-output.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, executor } from '../../core/authority.ts'

/** More chunks than this are merged: many small ones take more memory than their bytes. */
const maxChunks = 256

/** The newest `maxBytes` bytes of a stream, and how many came before them. */
class OutputTail {
  readonly #maxBytes: number
  #chunks: Uint8Array[] = []
  #length = 0
  #total = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#length += bytes.length
    this.#total += bytes.length
    if (this.#length > 2 * this.#maxBytes || this.#chunks.length > maxChunks) this.#merge()
  }

  /** The buffered bytes; `skipped` bytes came before them. */
  get(): { readonly skipped: number; readonly bytes: Uint8Array } {
    const bytes = this.#merge()
    return { skipped: this.#total - bytes.length, bytes }
  }

  #merge(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks)
    const tail = bytes.subarray(Math.max(0, bytes.length - this.#maxBytes))
    this.#chunks = [tail]
    this.#length = tail.length
    return tail
  }
}

/** Milliseconds between two writes: at most four a second, whatever a command prints. */
const writeEveryMs = 250

/** Stores what an attempt writes, so that it can be read while the attempt runs. */
export interface OutputRecorder {
  readonly add: (stream: OutputStream, bytes: Uint8Array) => void
  /** Resolves when nothing more is going to be written. */
  end(): Promise<void>
}

/**
 * Writes the newest output of an attempt to the store within a quarter of a second, and publishes
 * an event of the run when a stream begins. A command that ends sooner writes nothing here. A
 * failed write is retried with the next output and never affects the command.
 */
export function recordOutput(
  ctx: SystemContext,
  attempt: { readonly runId: string; readonly callId: string; readonly attempt: number },
): OutputRecorder {
  const tails = new Map<OutputStream, OutputTail>()
  const changed = new Set<OutputStream>()
  const announced = new Set<OutputStream>()
  let [hasEnded, failed] = [false, false]
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  const schedule = (): void => {
    if (hasEnded || timer !== null || changed.size === 0) return
    timer = setTimeout(() => {
      writing = write().finally(() => {
        timer = null
        schedule()
      })
    }, writeEveryMs)
  }
  const write = async (): Promise<void> => {
    const streams = [...changed]
    changed.clear()
    const soFar = streams.flatMap((stream) => {
      const tail = tails.get(stream)
      return tail === undefined ? [] : [{ stream, ...tail.get() }]
    })
    try {
      if (streams.every((stream) => announced.has(stream)))
        await putLiveOutput(ctx.db, attempt, soFar)
      else {
        await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
          await putLiveOutput(unit.tx, attempt, soFar)
          await unit.event('run.changed', { runId: attempt.runId })
        })
      }
      for (const stream of streams) announced.add(stream)
    } catch (error) {
      for (const stream of streams) changed.add(stream)
      if (!failed)
        ctx.log.warn(
          { callId: attempt.callId, err: error },
          'Live output could not be written; it is written with the next part',
        )
      failed = true
    }
  }
  return {
    add: (stream, bytes) => {
      if (hasEnded || bytes.length === 0) return
      const tail = tails.get(stream) ?? new OutputTail(maxLiveBytes)
      tails.set(stream, tail)
      tail.add(bytes)
      changed.add(stream)
      schedule()
    },
    end: async () => {
      hasEnded = true
      if (timer !== null) clearTimeout(timer)
      await writing
    },
  }
}
