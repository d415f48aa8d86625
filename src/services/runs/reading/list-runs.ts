import { sql, type RawBuilder, type Selectable } from 'kysely'
import { isBoundedTime, maxDays } from '#domain/bounded-time.ts'
import { earlyEnds, type RunState } from '#domain/requests/request.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import { viewerOf, type Viewer } from '../../requests/people/viewer.ts'
import { runVisibilityRules } from '../../requests/people/visible-to.ts'
import type { Db } from '#store/database.ts'
import { readTasks } from '../../requests/facts/read-tasks.ts'
import type { ShownIn } from '../../requests/words/task-words.ts'
import { workspaceOfRun, type ForkedFrom } from '../starting/record-run.ts'
import type { RunRecord, RunUsage } from './run-record.ts'
import { waitsForOf } from './waits-for.ts'
import { isUuid } from '#domain/requests/reference-forms.ts'
import { invalid } from '../../core/problems/invalid.ts'

export interface ListRunsInput extends PageInput {
  readonly state?: RunState
  readonly worker?: string
  /** `me`, a person's id, or an e-mail address */
  readonly startedBy?: string
  /** with a model step from a time on, and before another, 92 days later at most */
  readonly active?: { readonly from?: Date; readonly to?: Date }
}

const order = 'newest'

/**
 * A page of the runs that the caller may see (security.md 22), newest first, by keyset. Rejects
 * with `invalid_request` for a cursor of another list, and for an active time that is not bounded.
 */
export async function listRuns(
  ctx: ServiceContext,
  caller: Caller,
  input: ListRunsInput,
): Promise<Page<RunRecord>> {
  const viewer = await viewerOf(ctx, caller)
  const conditions = conditionsOf(viewer, input)
  const before = keysBefore(input, order, ['instant', 'id'])
  if (before !== null) {
    conditions.push(
      sql<boolean>`(run.created_at, run.id) < (${before[0]}::text::timestamptz, ${before[1]}::text::uuid)`,
    )
  }
  const limit = pageSize(input) + 1
  const keys = [sql`run.created_at`, sql`run.id`]
  const visible = pageOfAny({
    columns: [sql`run.id`],
    from: sql`run`,
    where: conditions,
    anyOf: runVisibilityRules(viewer),
    order: { keys, descending: true },
    limit,
  })
  const { rows } = await sql<RunRow>`
    ${runRows}
    where run.id in (select id from (${visible}) as seen)
    order by run.created_at desc, run.id desc
    limit ${limit}
  `.execute(ctx.db)
  const page = pageFrom(rows, input, order, ({ created_key: at, id }) => [at, id])
  const items = await runRecords(ctx.db, viewer, page.items, 'list')
  return { items, nextCursor: page.nextCursor }
}

export interface RunRow extends Pick<
  Selectable<RunTable>,
  | 'id'
  | 'root_run_id'
  | 'workflow_id'
  | 'worker'
  | 'state'
  | 'mode'
  | 'started_by'
  | 'started_from'
  | 'created_at'
  | 'ended_at'
  | 'pending_requests'
  | 'failure'
  | 'title'
  | 'number'
  | 'rest'
  | 'rests_until'
  | 'budget'
  | 'workspace'
  | 'worktree'
> {
  readonly conversation: boolean
  readonly usage: RunUsage
  readonly forked_from: ForkedFrom | null
  readonly starter_name: string | null
  readonly created_key: string
  readonly scripted: boolean
}

/** The columns of every list of runs. */
export const runRows = sql`
  select run.id, run.workflow_id, run.worker, run.state, run.mode, run.started_by, run.started_from,
    person.name as starter_name, run.created_at, run.created_at::text as created_key, run.ended_at,
    run.pending_requests, run.failure, run.title, run.number, run.root_run_id, run.rest,
    run.rests_until, run.budget, run.workspace, run.worktree,
    run.rest_for_seconds is not null as conversation,
    (select json_build_object('runId', old.id, 'number', old.number, 'turn', run.forked_after_turn)
      from run as old where old.id = run.forked_from) as forked_from,
    (select json_build_object(
        'inputTokens', coalesce(sum(input_tokens), 0),
        'cachedInputTokens', coalesce(sum(cached_input_tokens), 0),
        'outputTokens', coalesce(sum(output_tokens), 0),
        'costUsd', sum(cost_usd))
      from turn_attempt where turn_attempt.run_id = run.id) as usage,
    worker_version.script is not null as scripted
  from run
  left join person on person.id = run.started_by
  join worker_version on worker_version.digest = run.worker_digest
`

/** The records of these rows, completed by other queries. */
export async function runRecords(
  db: Db,
  viewer: Viewer,
  rows: readonly RunRow[],
  shownIn: ShownIn,
): Promise<RunRecord[]> {
  const open = rows.filter(({ state }) => !isEnd(runTransitions, state))
  const [tasks, waitsFor] = await Promise.all([
    readTasks(
      db,
      rows.map((row) => row.root_run_id),
      shownIn,
    ),
    waitsForOf(
      db,
      viewer,
      open.map(({ id }) => id),
    ),
  ])
  return rows.map((row) => ({
    id: row.id,
    number: Number(row.number),
    workflowId: row.workflow_id,
    worker: row.worker,
    state: row.state,
    mode: row.mode,
    startedBy:
      row.started_by === null ? null : { id: row.started_by, name: row.starter_name ?? '' },
    startedFrom: row.started_from,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    pendingRequests: row.pending_requests,
    title: row.title,
    scripted: row.scripted,
    failure: row.failure,
    conversation: row.conversation,
    rest: row.rest,
    restsUntil: row.rests_until,
    budget: row.budget,
    forkedFrom: row.forked_from,
    workspace: workspaceOfRun(row.workspace, row.worktree),
    usage: row.usage,
    task: tasks.get(row.root_run_id) ?? null,
    waitsFor: waitsFor.get(row.id) ?? [],
  }))
}

function conditionsOf(viewer: Viewer, input: ListRunsInput): RawBuilder<boolean>[] {
  const conditions = input.state === undefined ? [] : hasState(input.state)
  if (input.worker !== undefined) conditions.push(sql<boolean>`run.worker = ${input.worker}`)
  if (input.startedBy !== undefined) conditions.push(startedBy(viewer, input.startedBy))
  const { from, to } = input.active ?? {}
  if (from !== undefined || to !== undefined) conditions.push(wasActive(from, to))
  return conditions
}

/** Runs that have not ended, and rare ends, are few: each of these has an index of its own. */
function hasState(state: RunState): RawBuilder<boolean>[] {
  if (earlyEnds.some((end) => end === state)) return [sql<boolean>`run.ended_early = ${state}`]
  const condition = sql<boolean>`run.state = ${state}`
  return isEnd(runTransitions, state)
    ? [condition]
    : [condition, sql<boolean>`run.ended_at is null`]
}

/** As `readUsage` counts them. The array is read once, by the index of times. */
function wasActive(from: Date | undefined, to: Date | undefined): RawBuilder<boolean> {
  if (from === undefined || to === undefined || !isBoundedTime(from, to)) {
    const message = `must come with "activeTo" and be before it, by ${maxDays} days at most`
    throw invalid('activeFrom', message)
  }
  return sql<boolean>`run.id = any(array(
    select distinct step.run_id from turn_attempt as step
    where step.started_at >= ${from} and step.started_at < ${to}))`
}

function startedBy(viewer: Viewer, who: string): RawBuilder<boolean> {
  if (who === 'me') return sql<boolean>`run.started_by = ${viewer.personId}`
  if (isUuid(who)) return sql<boolean>`run.started_by = ${who}`
  return sql<boolean>`run.started_by = (select id from person where email = ${who.toLowerCase()})`
}
