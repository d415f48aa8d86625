import { setTimeout as pause } from 'node:timers/promises'
import { recordProcess } from '#services/installation/record-process.ts'
import type { SystemContext } from '#services/core/context.ts'

/** A process that stops waits so long for a Postgres that does not answer. */
const stoppingMs = 2000

/**
 * Records that this process serves; disposed after its last answer, that it stopped. Rejects when
 * the first cannot be.
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
