import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceContext } from '../../services/context.ts'
import { recordProcess } from '../../services/installation/record-process.ts'

/** A process that stops waits so long for a Postgres that does not answer. */
const stoppingMs = 2000

/** Records that this process serves; disposed after its last answer, that it stopped. Rejects when the first cannot be. */
export async function recordLife(ctx: ServiceContext): Promise<AsyncDisposable> {
  await recordProcess(ctx, 'started')
  return {
    async [Symbol.asyncDispose]() {
      const recorded = recordProcess(ctx, 'stopped').catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'That this process stops could not be recorded')
      })
      await Promise.race([recorded, pause(stoppingMs, undefined, { ref: false })])
    },
  }
}
