import { sql, type RawBuilder } from 'kysely'
import { hasWords, searchLimits } from '#domain/search.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { requestStateWord } from '#domain/text/request-state-words.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import type { RequestItemRecord } from '../requests/facts/request-record.ts'
import { occursIn } from '../requests/lists/matching-words.ts'
import { readItems } from '../requests/lists/read-items.ts'
import type { Viewer } from '../requests/people/viewer.ts'
import { requestVisibilityRules } from '../requests/people/visible-to.ts'
import type { SearchItem } from './search-item.ts'

/** How many of the newest hits are searched for files. */
const hits = 200
/** Words of one or two characters have no index: so many of the newest are searched. */
const newestForShortWords = 1_000

/** The newest requests with these words in title or tool, and the files that such requests name. */
export async function findRequests(
  ctx: ServiceContext,
  caller: Caller,
  { viewer, words }: { readonly viewer: Viewer; readonly words: readonly string[] },
): Promise<{ readonly requests: SearchItem[]; readonly files: SearchItem[] }> {
  const conditions = words.map(occursIn)
  if (words.every((word) => word.length < 3)) conditions.push(await isAmongNewest(ctx))
  const keys = [sql`request.created_at`, sql`request.number`]
  const { rows } = await sql<{ id: string }>`${pageOfAny({
    columns: [sql`request.id`],
    from: sql`request`,
    where: conditions,
    anyOf: requestVisibilityRules(viewer, 'request'),
    order: { keys, descending: true },
    limit: hits,
  })}`.execute(ctx.db)
  const ids = rows.map(({ id }) => id)
  const items = await readItems(ctx.db, caller, ids.slice(0, searchLimits.items))
  return { requests: items.map(requestItem), files: await filesOf(ctx, ids, words) }
}

async function isAmongNewest({ db }: ServiceContext): Promise<RawBuilder<boolean>> {
  const { rows } = await sql<{ at: string }>`
    select created_at::text as at from request order by created_at desc, id desc
    offset ${newestForShortWords} limit 1
  `.execute(db)
  const [oldest] = rows
  return oldest === undefined
    ? sql<boolean>`true`
    : sql<boolean>`request.created_at >= ${oldest.at}::text::timestamptz`
}

/** The paths of these requests with the words, newest first, each once. */
async function filesOf(
  ctx: ServiceContext,
  ids: readonly string[],
  words: readonly string[],
): Promise<SearchItem[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ path: string; many: number }>`
    select base->>'path' as path, count(distinct request.id)::int as many
    from request
    join request_revision r on r.request_id = request.id and r.revision = request.revision
    cross join jsonb_array_elements(coalesce(r.facts->'bases', '[]')) as base
    where request.id = any(${[...ids]}::uuid[])
    group by 1 order by max(request.created_at) desc, 1 limit ${hits}
  `.execute(ctx.db)
  return rows
    .filter(({ path }) => hasWords(path, words))
    .map(({ path, many }) => ({
      type: 'file',
      id: path,
      title: path,
      detail: many === 1 ? 'one request' : `${many} requests`,
      url: `/?state=any&q=${encodeURIComponent(path.slice(0, searchLimits.characters))}`,
    }))
}

/** A request as a search result. */
export function requestItem(item: RequestItemRecord): SearchItem {
  const { id, number, risk, tool, worker } = item
  const detail = [requestStateWord(item), `${risk} risk`, tool, worker].filter(
    (part) => part !== null,
  )
  return {
    type: 'request',
    id,
    number,
    title: requestHeadline(item),
    detail: detail.join(', '),
    url: `/requests/${number}`,
  }
}
