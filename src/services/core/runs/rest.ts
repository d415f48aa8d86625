import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Rest } from '#domain/runs/workflow-outcomes.ts'
import type { RunTable } from '#store/tables/runs.ts'

/** When a rest that begins now ends; `null` for runs that are not conversations. */
export function restsUntil({
  rest_for_seconds: seconds,
}: Pick<Selectable<RunTable>, 'rest_for_seconds'>): RawBuilder<Date> | null {
  return seconds === null ? null : sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`
}

/** Expression on `run`: milliseconds until its rest is over, by the database's clock. */
export const restMs = sql<
  number | null
>`(extract(epoch from run.rests_until - clock_timestamp()) * 1000)::float8`

/**
 * What a workflow needs to know of a rest: until when to wait, and the turn that a message begins.
 * Empty for a run that waits without limit.
 */
export function restOf(run: { readonly turn: number }, ms: number | null): Partial<Rest> {
  return ms === null ? {} : { turn: run.turn + 1, restsForMs: Math.max(0, Math.ceil(ms)) }
}

/** The columns that end a run's rest. */
export const restEnded = { rest: null, rests_until: null } as const
