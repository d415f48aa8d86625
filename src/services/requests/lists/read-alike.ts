import { sql } from 'kysely'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import { saltedText } from '../words/salted-text.ts'
import type { Caller } from '../../core/context.ts'
import { readItems } from './read-items.ts'
import type { AlikeRecord, AlikeRequestRecord } from '../facts/request-record.ts'
import type { Viewer } from '../people/viewer.ts'
import { requestVisibleTo } from '../people/visible-to.ts'
import { carriedOut, sameCalls, maxAlike, similarCalls } from '../facts/alike-queries.ts'

/** How many are read; beyond that only the number is shown. */
const maxRows = 50

interface AlikeRow {
  readonly id: string
  readonly kind: 'same' | 'similar'
  readonly visible: boolean
  readonly reasonHash: string | null
}

/**
 * Earlier requests like this one (details.md, alike): for the same call, and for others about the
 * same file or program within 30 days, newest first, and only those that the viewer may see.
 * `hidden` counts the rest of the newest fifty; `again` is how often the same call was carried out.
 */
export async function readAlike(
  db: Db | Tx,
  { caller, viewer }: { readonly caller: Caller; readonly viewer: Viewer },
  requestId: string,
): Promise<AlikeRecord> {
  const { rows } = await sql<AlikeRow & { readonly again: number }>`
    select request.again, found.id, found.kind, ${requestVisibleTo(viewer, 'one')} as visible,
      (select d.reason_hash from decision d
        where d.request_id = one.id and d.revision = one.revision and one.state in ('approved', 'denied')
        order by d.at desc, d.id desc limit 1) as "reasonHash"
    from (select *, ${carriedOut} as again from request where id = ${requestId}) request
    left join lateral (
      select id, 'same' as kind from (${sameCalls(maxRows)}) as twins
      union all
      select id, 'similar' as kind from (${similarCalls(maxRows)}) as others) as found on true
    left join request one on one.id = found.id
    order by one.created_at desc, one.id desc
  `.execute(db)
  const alike = rows.filter((row) => row.id !== null)
  const visible = alike.filter((row) => row.visible)
  const rowsOf = (kind: AlikeRow['kind']): AlikeRow[] =>
    visible.filter((row) => row.kind === kind).slice(0, maxAlike[kind])
  const [same, similar] = [rowsOf('same'), rowsOf('similar')]
  const records = await recordsOf(db, caller, [...same, ...similar])
  return {
    same: records.slice(0, same.length),
    similar: records.slice(same.length),
    hidden: alike.length - visible.length,
    again: rows[0]?.again ?? 0,
  }
}

async function recordsOf(
  db: Db | Tx,
  caller: Caller,
  alike: readonly AlikeRow[],
): Promise<AlikeRequestRecord[]> {
  const ids = alike.map((row) => row.id)
  const items = new Map(
    (await readItems(db, caller, ids, { words: false })).map((item) => [item.id, item]),
  )
  const texts = await getRemainingTexts(
    db,
    alike.flatMap((row) => row.reasonHash ?? []),
  )
  return alike.flatMap(({ id, reasonHash }) => {
    const item = items.get(id)
    if (item === undefined) return []
    const { number, state, title, effect, worker, execution } = item
    const reason = texts.get(reasonHash ?? '')
    return [
      {
        requestId: id,
        number,
        title,
        effect,
        worker,
        state,
        execution,
        at: execution.finishedAt ?? execution.startedAt ?? item.decidedAt ?? item.createdAt,
        decidedBy: item.decidedBy?.name ?? null,
        reason: reason === undefined ? null : saltedText(reason),
      },
    ]
  })
}
