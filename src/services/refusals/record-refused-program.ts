import type { ServiceContext } from '../core/context.ts'
import { recordRefusal } from './record-refusal.ts'

/**
 * Records that an MCP server was not started, because a file of its program is not what the version
 * in force recorded (security.md 33, 36). It never rejects: the refusal stands either way.
 */
export async function recordRefusedProgram(
  ctx: ServiceContext,
  { worker, path }: { readonly worker: string; readonly path: string },
): Promise<void> {
  try {
    await recordRefusal(ctx, {
      type: 'attempt.refused',
      actor: { type: 'system', name: 'executor' },
      channel: 'workflow',
      detail: { attempt: 'startServer', code: 'program_changed', which: `${worker}: ${path}` },
    })
  } catch (error) {
    ctx.log.error({ err: error, worker, path }, 'The refusal could not be recorded')
  }
}
