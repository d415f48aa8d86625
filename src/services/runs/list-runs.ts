import { sql, type RawBuilder } from 'kysely'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import type { RunState } from '../../domain/request.ts'
import type { RunMode } from '../../domain/verdict.ts'
import { decodeCursor, encodeCursor } from '../../store/keyset.ts'
import { pageOfAny } from '../../store/page-of-any.ts'
import type { RunFailure } from '../../store/tables/runs.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { viewerOf, type Viewer } from '../requests/viewer.ts'
import { waysToSeeRun } from '../requests/visible-to.ts'
import type { RunRecord } from './run-record.ts'
import { isUuid } from './visible-run.ts'

export interface ListRunsInput {
  readonly state?: RunState
  readonly worker?: string
  /** `me`, a person's id, or an e-mail address */
  readonly startedBy?: string
  readonly cursor?: string
  /** 50 when absent, at most 200 */
  readonly limit?: number
}

export interface RunPage {
  readonly items: readonly RunRecord[]
  readonly nextCursor: string | null
}

const order = 'newest'

/**
 * A page of the runs that the caller may see (security.md 22), newest first, by keyset.
 * Rejects with `invalid_request` for a cursor that is not of this list.
 */
export async function listRuns(
  ctx: ServiceContext,
  caller: Caller,
  input: ListRunsInput,
): Promise<RunPage> {
  const viewer = await viewerOf(ctx, caller)
  const limit = Math.min(input.limit ?? limits.listDefault, limits.listMost)
  const conditions = conditionsOf(viewer, input)
  if (input.cursor !== undefined) conditions.push(after(input.cursor))
  const keys = [sql`run.created_at`, sql`run.id`]
  const seen = pageOfAny({
    columns: [sql`run.id`],
    from: sql`run`,
    where: conditions,
    anyOf: waysToSeeRun(viewer, 'run.id'),
    order: { keys, descending: true },
    limit: limit + 1,
  })
  const { rows } = await sql<RunRow>`
    ${runRows}
    where run.id in (select id from (${seen}) as seen)
    order by run.created_at desc, run.id desc
    limit ${limit + 1}
  `.execute(ctx.db)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    items: page.map(runRecord),
    nextCursor: more ? encodeCursor(order, [last.created_key, last.id]) : null,
  }
}

export interface RunRow {
  readonly id: string
  readonly workflow_id: string
  readonly worker: string
  readonly state: RunState
  readonly mode: RunMode
  readonly started_by: string
  readonly starter_name: string
  readonly created_at: Date
  readonly created_key: string
  readonly ended_at: Date | null
  readonly pending_requests: number
  readonly failure: RunFailure | null
  readonly title: string
  readonly scripted: boolean
}

/** What every listing of runs reads. */
export const runRows = sql`
  select run.id, run.workflow_id, run.worker, run.state, run.mode, run.started_by,
    person.name as starter_name, run.created_at, run.created_at::text as created_key, run.ended_at,
    run.pending_requests, run.failure, run.title,
    worker_version.script is not null as scripted
  from run
  join person on person.id = run.started_by
  join worker_version on worker_version.digest = run.worker_digest
`

/** A row as callers get it. */
export function runRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    worker: row.worker,
    state: row.state,
    mode: row.mode,
    startedBy: { id: row.started_by, name: row.starter_name },
    createdAt: row.created_at,
    endedAt: row.ended_at,
    pendingRequests: row.pending_requests,
    title: row.title,
    scripted: row.scripted,
    failure: row.failure,
  }
}

function conditionsOf(viewer: Viewer, input: ListRunsInput): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = []
  if (input.state !== undefined) conditions.push(sql<boolean>`run.state = ${input.state}`)
  if (input.worker !== undefined) conditions.push(sql<boolean>`run.worker = ${input.worker}`)
  if (input.startedBy !== undefined) conditions.push(startedBy(viewer, input.startedBy))
  return conditions
}

function startedBy(viewer: Viewer, who: string): RawBuilder<boolean> {
  if (who === 'me') return sql<boolean>`run.started_by = ${viewer.personId}`
  if (isUuid(who)) return sql<boolean>`run.started_by = ${who}`
  return sql<boolean>`run.started_by = (select id from person where email = ${who.toLowerCase()})`
}

function after(cursor: string): RawBuilder<boolean> {
  const keys = decodeCursor(cursor, order, ['instant', 'id'])
  if (keys === null) {
    const message = 'is not a cursor of this list'
    throw new Problem('invalid_request', `cursor ${message}`, { field: 'cursor', message })
  }
  return sql<boolean>`(run.created_at, run.id) < (${keys[0]}::text::timestamptz, ${keys[1]}::text::uuid)`
}
