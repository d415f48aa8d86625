import { textOrEmpty } from '#domain/json/text-or-empty.ts'
import { sql, type RawBuilder } from 'kysely'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { ServiceContext } from '../core/context.ts'
import { rightsIn } from '../core/rights-of.ts'
import { requestVisibleTo, runVisibleTo, type ViewerTerms } from '../requests/people/visible-to.ts'

/**
 * For each of these people, the events of the live stream that they may see now: events about a
 * request that they may see, or without a request, about a run that they may see. Everybody sees
 * that the policy changed. It reads membership each time, in three queries for however many people.
 */
export async function visibleEvents<
  T extends { readonly type: StreamEventType; readonly subject: JsonObject },
>(
  ctx: ServiceContext,
  personIds: readonly string[],
  events: readonly T[],
): Promise<ReadonlyMap<string, readonly T[]>> {
  const visible = await visibleSubjects(ctx, personIds, {
    requestIds: idsOf(events, 'requestId'),
    runIds: idsOf(events, 'runId'),
  })
  return new Map(
    personIds.map((personId) => {
      const ids = visible.get(personId)
      const theirs = events.filter(
        ({ type, subject }) =>
          type === 'policy.changed' ||
          ids?.has(textOrEmpty(subject['requestId'] ?? subject['runId'])) === true,
      )
      return [personId, theirs]
    }),
  )
}

interface Subjects {
  readonly requestIds: readonly string[]
  readonly runIds: readonly string[]
}

/** The ids of the requests and runs that each person may see. */
async function visibleSubjects(
  ctx: ServiceContext,
  personIds: readonly string[],
  { requestIds, runIds }: Subjects,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const parts = (await viewerGroups(ctx, personIds)).flatMap(({ viewers, terms }) => [
    ...(requestIds.length === 0
      ? []
      : [visibleRows(viewers, 'request', requestIds, requestVisibleTo(terms, 'request'))]),
    ...(runIds.length === 0 ? [] : [visibleRows(viewers, 'run', runIds, runVisibleTo(terms))]),
  ])
  const visible = new Map<string, Set<string>>()
  if (parts.length === 0) return visible
  const { rows } = await sql<{ viewer: string; id: string }>`
    ${sql.join(parts, sql` union all `)}
  `.execute(ctx.db)
  for (const { viewer, id } of rows) visible.set(viewer, (visible.get(viewer) ?? new Set()).add(id))
  return visible
}

/** People with the same right, as a table of the query. */
interface ViewerGroup {
  readonly viewers: RawBuilder<unknown>
  readonly terms: ViewerTerms
}

async function viewerGroups(
  ctx: ServiceContext,
  personIds: readonly string[],
): Promise<ViewerGroup[]> {
  const { rows } = await sql<{ id: string; email: string | null }>`
    select id, case when disabled_at is null then email end as email
    from person where ${isOneOf('id', personIds)}
  `.execute(ctx.db)
  const managers: string[] = []
  const others: string[] = []
  const { config } = await ctx.policies.inForce()
  for (const { id, email } of rows) {
    if (email !== null && rightsIn(config, email).has('manageRuns')) managers.push(id)
    else others.push(id)
  }
  return [
    { ids: managers, managesRuns: true },
    { ids: others, managesRuns: false },
  ]
    .filter(({ ids }) => ids.length > 0)
    .map(({ ids, managesRuns }) => ({
      viewers: sql`(
        select id, array(select team from team_member where person_id = person.id) as teams
        from person where ${isOneOf('id', ids)}
      ) as viewer`,
      terms: { person: sql.ref('viewer.id'), teams: sql.ref('viewer.teams'), managesRuns },
    }))
}

/** A query for the rows among these that each viewer may see: `viewer` and `id`. */
function visibleRows(
  viewers: RawBuilder<unknown>,
  table: 'request' | 'run',
  ids: readonly string[],
  isVisible: RawBuilder<boolean>,
): RawBuilder<unknown> {
  const id = sql.ref(`${table}.id`)
  return sql`
    select viewer.id as viewer, ${id} as id from ${viewers} cross join ${sql.table(table)}
    where ${isOneOf(`${table}.id`, ids)} and ${isVisible}`
}

function idsOf(events: readonly { readonly subject: JsonObject }[], field: string): string[] {
  const ids = events.map((event) => textOrEmpty(event.subject[field])).filter((id) => id !== '')
  return [...new Set(ids)]
}
