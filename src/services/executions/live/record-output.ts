import type { OutputStream } from '../../../domain/tool.ts'
import { liveBytesMost, putLiveOutput } from '../../../store/content/live-output.ts'
import type { ServiceContext } from '../../context.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { OutputTail } from './output-tail.ts'

/** At most four writes a second, however much and however often a command writes. */
const writeEveryMs = 250

/** Keeps what an attempt writes readable while it runs. */
export interface OutputRecorder {
  readonly add: (stream: OutputStream, bytes: Uint8Array) => void
  /** Resolves when nothing more is going to be written. */
  end(): Promise<void>
}

/**
 * Writes the newest of what an attempt prints to the store, a quarter of a second after it came, and tells the run's
 * watchers when a stream begins: a command that is done sooner leaves no trace here. What cannot be written is tried again with what came meanwhile, and never disturbs the command.
 */
export function recordOutput(
  ctx: ServiceContext,
  of: { readonly runId: string; readonly callId: string; readonly attempt: number },
): OutputRecorder {
  const tails = new Map<OutputStream, OutputTail>()
  const changed = new Set<OutputStream>()
  const told = new Set<OutputStream>()
  let [ended, failed] = [false, false]
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  const schedule = (): void => {
    if (ended || timer !== null || changed.size === 0) return
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
      if (streams.every((stream) => told.has(stream))) await putLiveOutput(ctx.db, of, soFar)
      else {
        await inUnitOfWork(ctx, async (unit) => {
          await putLiveOutput(unit.tx, of, soFar)
          await unit.event('run.changed', { runId: of.runId })
        })
      }
      for (const stream of streams) told.add(stream)
    } catch (error) {
      for (const stream of streams) changed.add(stream)
      if (!failed) ctx.log.warn({ callId: of.callId, err: error }, 'Live output waits')
      failed = true
    }
  }
  return {
    add: (stream, bytes) => {
      if (ended || bytes.length === 0) return
      const tail = tails.get(stream) ?? new OutputTail(liveBytesMost)
      tails.set(stream, tail)
      tail.add(bytes)
      changed.add(stream)
      schedule()
    },
    end: async () => {
      ended = true
      if (timer !== null) clearTimeout(timer)
      await writing
    },
  }
}
