import { Problem } from '../../../domain/problem.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { viewerOf, type Viewer } from '../../requests/viewer.ts'
import { runVisibleTo } from '../../requests/visible-to.ts'

/** Rejects with `not_found` when there is no such run that the caller may see (security.md 22); else who looks at it. */
export async function assertVisible(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<Viewer> {
  const viewer = await viewerOf(ctx, caller)
  const seen = isUuid(runId)
    ? await ctx.db
        .selectFrom('run')
        .select('id')
        .where('id', '=', runId)
        .where(runVisibleTo(viewer, 'run.id'))
        .executeTakeFirst()
    : undefined
  if (seen === undefined) {
    throw new Problem('not_found', `There is no run ${runId.slice(0, 80)} that you may see`)
  }
  return viewer
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
