import { searchLimits, searchTypes, type SearchType } from '#domain/search.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { findExact } from './find-exact.ts'
import { findNamed } from './find-named.ts'
import { findRequests } from './find-requests.ts'
import { findRuns } from './find-runs.ts'
import type { SearchItem } from './search-item.ts'
import { searchWords } from './search-words.ts'

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
