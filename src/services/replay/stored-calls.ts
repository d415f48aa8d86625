import type { Selectable } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import { getTexts } from '#store/content/content.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { termsOf } from '../core/run-terms.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import type { ReplayedCall } from '../core/host-queries.ts'
import { placeOfRun, type RunPlace } from '../core/run-place.ts'

/** A call that was judged, with what its verdict depended on besides policy and files. */
export interface StoredCall {
  readonly id: string
  readonly runId: string
  readonly worker: string
  readonly place: RunPlace
  readonly tool: string
  readonly input: Json
  readonly byPerson: boolean
  readonly recorded: ReplayedCall['recorded']
  readonly policyDigest: string
  /**
   * names of the workers from the root run's down to this one's; `null`: a signature among them
   * does not hold
   */
  readonly lineage: readonly string[] | null
  /** e-mail address of the person behind the root run */
  readonly startedBy: string | null
}

/** Stored calls in the given order, without calls that were never judged or are erased. */
export async function readStoredCalls(
  ctx: WorkerContext,
  ids: readonly string[],
): Promise<StoredCall[]> {
  if (ids.length === 0) return []
  const rows = await ctx.db
    .selectFrom('tool_call')
    .innerJoin('run', 'run.id', 'tool_call.run_id')
    .leftJoin('person', 'person.id', 'run.started_by')
    .select(['tool_call.id', 'tool_call.run_id', 'tool_call.tool', 'tool_call.input_hash'])
    .select(['tool_call.verdict', 'tool_call.manual', 'tool_call.policy_digest'])
    .select(['run.worker', 'run.task_queue', 'run.workspace', 'person.email'])
    .select(['run.number', 'run.root_run_id', 'run.state', 'run.worktree'])
    .where('tool_call.id', 'in', ids)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('erased_request')
            .whereRef('erased_request.request_id', '=', 'tool_call.request_id')
            .select('request_id'),
        ),
      ),
    )
    .execute()
  const hashes = rows.map((row) => row.input_hash)
  const inputs = await getTexts(ctx.db, hashes)
  const lineages = await readLineages(
    ctx,
    rows.map((row) => row.run_id),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (row === undefined || row.verdict === null || row.policy_digest === null) return []
    return {
      id,
      runId: row.run_id,
      worker: row.worker,
      place: placeOfRun({ ...row, id: row.run_id }),
      tool: row.tool,
      input: JSON.parse(inputs.get(row.input_hash) ?? 'null') as Json,
      byPerson: row.manual,
      recorded: row.verdict,
      policyDigest: row.policy_digest,
      lineage: lineages.get(row.run_id) ?? null,
      startedBy: row.email,
    }
  })
}

/** By run, from the signed statements. A root run is alone, and needs no query of its own. */
async function readLineages(
  ctx: WorkerContext,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[] | null>> {
  const runs: Selectable<RunTable>[] = await ctx.db
    .selectFrom('run')
    .selectAll()
    .where('id', 'in', [...new Set(runIds)])
    .execute()
  const lineages = new Map<string, readonly string[] | null>()
  for (const run of runs) {
    const isRoot = run.parent_run_id === null
    const { lineage, statement } = await termsOf(ctx, run)
    lineages.set(run.id, isRoot || statement !== null ? lineage : null)
  }
  return lineages
}
