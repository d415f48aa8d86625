import type { Db } from '#store/database.ts'
import type { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { missingProblem } from '../core/problems/missing.ts'
import { isShortNumber, isUuid } from '#domain/requests/reference-forms.ts'
import { viewerOf, type Viewer } from '../requests/people/viewer.ts'
import { runVisibleTo } from '../requests/people/visible-to.ts'

/**
 * The viewer of a run that the caller may see (security.md 22). Rejects with `missing` for other
 * runs: by default a `not_found` that names the run.
 */
export async function assertVisible(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
  missing: Problem = missingProblem('run', runId),
): Promise<Viewer> {
  const viewer = await viewerOf(ctx, caller)
  if (!isUuid(runId) || (await visibleId(ctx, viewer, 'id', runId)) === undefined) throw missing
  return viewer
}

async function visibleId(
  ctx: ServiceContext,
  viewer: Viewer,
  column: 'id' | 'number',
  reference: string,
): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('run')
    .select('id')
    .where(column, '=', reference)
    .where(runVisibleTo(viewer))
    .executeTakeFirst()
  return row?.id
}

/**
 * The id of a run that the caller may see, by its id or its number. Rejects with `not_found`, which
 * quotes the reference.
 */
export async function findRun(
  ctx: ServiceContext,
  caller: Caller,
  reference: string,
): Promise<string> {
  // For an id, the function that uses it checks whether the caller may see the run.
  if (isUuid(reference)) return reference.toLowerCase()
  const id = isShortNumber(reference)
    ? await visibleId(ctx, await viewerOf(ctx, caller), 'number', reference)
    : undefined
  if (id === undefined) throw missingProblem('run', reference)
  return id
}

/**
 * The id of an existing run, by its id or its number, also if the caller may not see it: for the
 * audit log, and never for the caller.
 */
export async function existingRun(db: Db, runId: string): Promise<string | null> {
  const column = isUuid(runId) ? 'id' : isShortNumber(runId) ? 'number' : null
  if (column === null) return null
  const row = await db.selectFrom('run').select('id').where(column, '=', runId).executeTakeFirst()
  return row?.id ?? null
}
