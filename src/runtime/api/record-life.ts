import { setTimeout as pause } from 'node:timers/promises'
import type { SystemContext } from '#services/core/context.ts'
import { recordProcess } from '#services/installation/record-process.ts'

/** How long a process that stops waits for a Postgres that does not answer. */
const stoppingMs = 2000

/**
 * Records that this process serves; disposing, after its last answer, records that it stopped.
 * Rejects when the first cannot be recorded.
 */
export async function recordLife(ctx: SystemContext): Promise<AsyncDisposable> {
  await recordProcess(ctx, 'started')
  return {
    async [Symbol.asyncDispose]() {
      const recorded = recordProcess(ctx, 'stopped').catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'The stop of this process could not be recorded')
      })
      await Promise.race([recorded, pause(stoppingMs, undefined, { ref: false })])
    },
  }
}
