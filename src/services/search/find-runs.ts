import { sql } from 'kysely'
import { searchLimits } from '#domain/search.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { ServiceContext } from '../core/context.ts'
import { likePattern } from '../requests/lists/matching-words.ts'
import type { Viewer } from '../requests/people/viewer.ts'
import { runVisibilityRules } from '../requests/people/visible-to.ts'
import { runRows, type RunRow } from '../runs/reading/list-runs.ts'
import type { SearchItem } from './search-item.ts'

/** The searched text, as in the index `run_search`. */
const searched = sql`(run.title || e'\n' || run.worker)`
/** Words of one or two characters are searched in the newest runs only, as for requests. */
const newestForShortWords = 1_000

/** The newest runs with these words in the first line of their task, or in the worker's name. */
export async function findRuns(
  ctx: ServiceContext,
  { viewer, words }: { readonly viewer: Viewer; readonly words: readonly string[] },
): Promise<SearchItem[]> {
  const conditions = words.map((word) => sql<boolean>`${searched} ilike ${likePattern(word)}`)
  if (words.every((word) => word.length < 3)) {
    conditions.push(sql<boolean>`run.created_at >= coalesce((
      select created_at from run order by created_at desc, id desc
      offset ${newestForShortWords} limit 1), '-infinity')`)
  }
  const visible = pageOfAny({
    columns: [sql`run.id`],
    from: sql`run`,
    where: conditions,
    anyOf: runVisibilityRules(viewer),
    order: { keys: [sql`run.created_at`, sql`run.id`], descending: true },
    limit: searchLimits.items,
  })
  const { rows } = await sql<RunRow>`
    ${runRows} where run.id in (select id from (${visible}) as seen)
    order by run.created_at desc, run.id desc
  `.execute(ctx.db)
  return rows.map(runItem)
}

/** A run as a search result. */
export function runItem(row: RunRow): SearchItem {
  const { id, number, title, worker, state, starter_name: starter } = row
  return {
    type: 'run',
    id,
    number: Number(number),
    title,
    detail: `${worker}, ${state.replaceAll('_', ' ')}, started by ${starter}`,
    url: `/runs/${id}`,
  }
}
