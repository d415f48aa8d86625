import { sql, type Selectable } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { waitsToStart } from '../../core/runs/waits-to-start.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { isTaskErased, unlessErased } from '../../requests/words/erased-words.ts'
import type { LineageRecord } from '../../requests/facts/request-record.ts'
import { runRecords, runRows, type RunRow } from './list-runs.ts'
import { awayWarnings } from './away-warnings.ts'
import { childrenOf } from './children-of.ts'
import type { RunDetailRecord, RunContext } from './run-record.ts'
import { assertVisible } from '../visible-run.ts'
import { bySteeringOrNull } from '../may-steer-run.ts'
import { estimatedTokensPerByte } from '#domain/runs/window.ts'
import { contextOf } from '#policy/worker/context-of.ts'

/**
 * Reads everything about a run except its transcript. Rejects with `not_found` for a run that the
 * caller may not see.
 */
export async function getRun(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<RunDetailRecord> {
  const viewer = await assertVisible(ctx, caller, runId)
  const { rows } = await sql<RunRow>`${runRows} where run.id = ${runId}`.execute(ctx.db)
  const row = rows[0]
  if (row === undefined) throw new Problem('not_found', `There is no run ${runId}`)
  const run = await ctx.db
    .selectFrom('run')
    .select([
      'turn',
      'output',
      'policy_digest',
      'input_digest',
      'end_reason',
      'state',
      'attachments',
      'start_request_id',
      'forked_after_turn',
      'root_run_id',
      'worktree',
    ])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  const children = await childrenOf(ctx.db, viewer, runId)
  const policy = await ctx.policies.byDigest(run.policy_digest)
  const hasEnded = isEnd(runTransitions, run.state)
  const isSteerer = async (): Promise<boolean> =>
    (await bySteeringOrNull(ctx, caller, runId)) !== null
  const steers = !hasEnded && (await isSteerer())
  const [record] = await runRecords(ctx.db, viewer, [row], 'detail')
  if (record === undefined) throw new Error('One row makes one record')
  const isResting = run.state === 'waiting_for_input'
  const adds = steers && !waitsToStart(run)
  return {
    ...record,
    turns: run.turn,
    context: await contextOfRun(ctx, runId, policy.workers.get(row.worker)?.model ?? ''),
    lineage: await lineageOf(ctx, runId),
    children,
    // While a conversation works on the next message, its last answer is in the transcript.
    output: hasEnded || isResting ? run.output : null,
    policyDigest: run.policy_digest,
    warnings: hasEnded ? [] : await awayWarnings(ctx, policy, row),
    input: (await isTaskErased(ctx.db, row)) ? row.title : await inputOf(ctx, run.input_digest),
    attachments: run.attachments ?? [],
    model: policy.workers.get(row.worker)?.model ?? '',
    endReason: run.end_reason,
    startRequestId: run.start_request_id,
    allowed: {
      message: adds,
      cancel: steers,
      close: steers && isResting && record.pendingRequests === 0,
      discard: (await isWorktreeLeft(ctx.db, { id: runId, ...run })) && (await isSteerer()),
      call: adds && (await mayCall(ctx, caller, row)),
    },
  }
}

/** Whether a run's own worktree still exists, and no run works in it. */
async function isWorktreeLeft(
  db: Db,
  run: Pick<Selectable<RunTable>, 'id' | 'root_run_id' | 'worktree'>,
): Promise<boolean> {
  const { id, worktree } = run
  if (worktree === null || run.root_run_id !== id) return false
  if (worktree.discardedAt !== undefined || worktree.removedAt !== undefined) return false
  const open = await db
    .selectFrom('run')
    .select('id')
    .where('root_run_id', '=', id)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return open === undefined
}

/** The input, or that and when it was erased. */
async function inputOf(ctx: ServiceContext, hash: string): Promise<Json> {
  const text = await unlessErased(ctx.db, hash, () => getText(ctx.db, hash), JSON.stringify)
  return JSON.parse(text) as Json
}

/** Whether the person may get a manual tool; only the workspace's host knows which. */
async function mayCall(
  ctx: ServiceContext,
  caller: Caller,
  run: Pick<RunRow, 'worker'>,
): Promise<boolean> {
  if (caller.actor.type !== 'person') return false
  const worker = (await ctx.policies.inForce()).workers.get(run.worker)
  return worker !== undefined && worker.tools.size > 0
}

async function lineageOf(ctx: ServiceContext, runId: string): Promise<LineageRecord[]> {
  const rows = await ctx.db
    .selectFrom('run_lineage')
    .innerJoin('run', 'run.id', 'run_lineage.ancestor_id')
    .leftJoin('person', 'person.id', 'run.started_by')
    .select(['run.id as runId', 'run.worker', 'person.id as personId', 'person.name'])
    .where('run_lineage.run_id', '=', runId)
    .orderBy('run_lineage.depth')
    .execute()
  return rows.map(({ runId: id, worker, personId, name }) => ({
    runId: id,
    worker,
    startedBy: personId === null ? null : { id: personId, name: name ?? '' },
  }))
}

/** How much of its model's window a run used in its last step. */
async function contextOfRun(
  ctx: ServiceContext,
  runId: string,
  model: string,
): Promise<RunContext> {
  const last = await ctx.db
    .selectFrom('turn_attempt')
    .select(['input_tokens', 'output_tokens', 'prompt_bytes'])
    .where('run_id', '=', runId)
    .where('outcome', '=', 'stored')
    .orderBy('turn', 'desc')
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  const reportedTokens = Number(last?.input_tokens ?? 0) + Number(last?.output_tokens ?? 0)
  const estimated = Math.round(Number(last?.prompt_bytes ?? 0) * estimatedTokensPerByte)
  const { config } = await ctx.policies.inForce()
  return { limit: contextOf(config, model), used: reportedTokens > 0 ? reportedTokens : estimated }
}
