import { sql } from 'kysely'
import type { UsageView } from '#api/schemas/requests/insights.ts'
import type { UsageKey } from '#domain/insight-key.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { runVisibleTo } from '../requests/people/visible-to.ts'
import type { RecordOf } from '../core/record-of.ts'
import { insightScope, lookedUp, maxItems, type InsightTime } from './insight-scope.ts'

/** What the models of the runs of one worker, or of one person, used. */
export type Usage = RecordOf<UsageView['items'][number]>

export interface UsageInsights {
  readonly from: Date
  readonly to: Date
  readonly items: readonly Usage[]
}

/**
 * The tokens and cost of the model steps that began between `from` (default: 30 days before `to`)
 * and `to` (default: now), by worker or by the person who started the run: the 200 most expensive
 * ones (product.md 33). Counts the runs that the caller may see; with the right `readAudit`, all.
 * Failed steps count too, because providers charge for them. Rejects with `invalid_request` for an
 * empty time, or one of more than 92 days.
 */
export async function readUsage(
  ctx: ServiceContext,
  caller: Caller,
  input: InsightTime & { readonly by: UsageKey },
): Promise<UsageInsights> {
  const scope = await insightScope(ctx, caller, input)
  const { from, to, viewer, seesAll } = scope
  const group = groups[input.by]
  const { rows: items } = await sql<Usage>`
    select ${group.key} as key, ${group.name} as name, count(distinct run.id)::int as runs,
      coalesce(sum(step.input_tokens), 0)::float8 as "inputTokens",
      coalesce(sum(step.cached_input_tokens), 0)::float8 as "cachedInputTokens",
      coalesce(sum(step.output_tokens), 0)::float8 as "outputTokens",
      sum(step.cost_usd) as "costUsd"
    from turn_attempt as step ${lookedUp('run', sql`own.id = step.run_id`)}
      left join person on person.id = run.started_by
    where step.started_at >= ${from} and step.started_at < ${to}
      and ${seesAll ? sql<boolean>`true` : runVisibleTo(viewer)}
    group by 1 order by "costUsd" desc nulls last, "inputTokens" desc, 1 limit ${sql.lit(maxItems)}
  `.execute(ctx.db)
  return { from, to, items }
}

const groups = {
  worker: { key: sql`run.worker`, name: sql`run.worker` },
  person: {
    key: sql`coalesce(person.id::text, '')`,
    name: sql`coalesce(max(person.name), 'nobody')`,
  },
}
