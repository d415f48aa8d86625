import { Problem } from '#domain/problem.ts'
import type { SearchType } from '#domain/search.ts'
import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../core/context.ts'
import { readItems } from '../requests/lists/read-items.ts'
import { findRequest } from '../requests/people/find-request.ts'
import type { Viewer } from '../requests/people/viewer.ts'
import { runVisibleTo } from '../requests/people/visible-to.ts'
import { runRows, type RunRow } from '../runs/reading/list-runs.ts'
import { isShortNumber, isUuid } from '#domain/requests/reference-forms.ts'
import { requestItem } from './find-requests.ts'
import { runItem } from './find-runs.ts'
import type { SearchItem } from './search-item.ts'

/** The request and the run of a number (`142`, `#142`) or of an id. */
export async function findExact(
  ctx: ServiceContext,
  caller: Caller,
  query: { readonly viewer: Viewer; readonly q: string; readonly wanted: ReadonlySet<SearchType> },
): Promise<SearchItem[]> {
  const { viewer, q, wanted: types } = query
  const reference = q.replace(/^#/, '')
  const hits: SearchItem[] = []
  if (types.has('request')) {
    const id = await requestOf(ctx, viewer, reference)
    const items = await readItems(ctx.db, caller, id === null ? [] : [id])
    hits.push(...items.map(requestItem))
  }
  const isId = isUuid(reference)
  if (types.has('run') && (isId || isShortNumber(reference))) {
    const named = isId ? sql`run.id = ${reference}` : sql`run.number = ${reference}`
    const { rows } = await sql<RunRow>`
      ${runRows} where ${named} and ${runVisibleTo(viewer)}
    `.execute(ctx.db)
    hits.push(...rows.map(runItem))
  }
  return hits
}

/** Returns nothing if the words name no request, or one that the viewer may not see. */
async function requestOf(
  ctx: ServiceContext,
  viewer: Viewer,
  reference: string,
): Promise<string | null> {
  if (!isUuid(reference) && !isShortNumber(reference)) return null
  try {
    return (await findRequest(ctx.db, viewer, reference)).id
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}
