import { sql } from 'kysely'
import { searchLimits, searchTypes, type SearchType } from '#domain/search.ts'
import { Problem } from '#domain/problem.ts'
import { isShortNumber, isUuid } from '#domain/requests/reference-forms.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { viewerOf, type Viewer } from '../requests/people/viewer.ts'
import { findNamed } from './find-named.ts'
import { findRequests, requestItem } from './find-requests.ts'
import { findRuns, runItem } from './find-runs.ts'
import type { SearchItem } from './search-item.ts'
import { searchWords } from './search-words.ts'
import { readItems } from '../requests/lists/read-items.ts'
import { findRequest } from '../requests/people/find-request.ts'
import { runVisibleTo } from '../requests/people/visible-to.ts'
import { runRows, type RunRow } from '../runs/reading/list-runs.ts'

export interface SearchInput {
  readonly q: string
  /** all when absent */
  readonly types?: readonly SearchType[]
}

/**
 * Finds what contains every word of `q`, among what the caller may see (details.md, Search):
 * requests by title and tool, files by the path that requests name, runs by task and worker, people
 * by name and address, and workers and rules of the policy in force. A number, `#142` or an id
 * comes first. At most 50 items. Rejects with `invalid_request` for too many words.
 */
export async function searchService(
  ctx: ServiceContext,
  caller: Caller,
  { q, types = searchTypes }: SearchInput,
): Promise<readonly SearchItem[]> {
  const words = searchWords(q)
  if (words.length === 0) return []
  const typeSet = new Set(types)
  const viewer = await viewerOf(ctx, caller)
  const exact = await findExact(ctx, caller, { viewer, q: q.trim(), wanted: typeSet })
  const named = await findNamed(ctx, caller, { words, wanted: typeSet })
  const { requests, files } =
    typeSet.has('request') || typeSet.has('file')
      ? await findRequests(ctx, caller, { viewer, words })
      : { requests: [], files: [] }
  const runs = typeSet.has('run') ? await findRuns(ctx, { viewer, words }) : []
  const hits = [...named, ...files, ...requests, ...runs]
  const inOrder = searchTypes
    .filter((type) => typeSet.has(type))
    .flatMap((type) =>
      hits
        .filter((one) => one.type === type)
        .slice(0, typeSet.size === 1 ? searchLimits.items : searchLimits.itemsOfType),
    )
  const first = new Set(exact.map(({ type, id }) => `${type} ${id}`))
  const rest = inOrder.filter(({ type, id }) => !first.has(`${type} ${id}`))
  return [...exact, ...rest].slice(0, searchLimits.items)
}

/** The request and the run of a number (`142`, `#142`) or of an id. */
async function findExact(
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
