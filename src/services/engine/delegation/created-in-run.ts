import { createWorkerName } from '#domain/tools/built-in-tools.ts'
import { callDigest, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { getText } from '#store/content/content.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ServiceContext } from '../../core/context.ts'
import { verifyPermit } from '../../permits/permits.ts'
import { verifyRun } from '../../core/verify-run.ts'

/**
 * Whether a run of this root wrote the worker exactly as it is now (product.md 43): a
 * `create_worker` call with an approved permit for exactly this text. Signatures decide, a
 * row alone does not count (security.md 29).
 */
export async function isCreatedInRun(
  ctx: Pick<ServiceContext, 'verifier' | 'seals'> & { readonly db: Db | Tx },
  rootRunId: string,
  worker: WorkerDefinition,
): Promise<boolean> {
  const calls = await ctx.db
    .selectFrom('tool_call as call')
    .innerJoin('run', 'run.id', 'call.run_id')
    .innerJoin('execution', 'execution.call_id', 'call.id')
    .innerJoin('permit', 'permit.id', 'execution.permit_id')
    .innerJoin('request', 'request.id', 'permit.request_id')
    .innerJoin('request_revision as revision', (join) =>
      join
        .onRef('revision.request_id', '=', 'permit.request_id')
        .onRef('revision.revision', '=', 'permit.revision'),
    )
    .select([
      'call.id as callId',
      'run.id as runId',
      'permit.id as permitId',
      'request.id as requestId',
      'request.policy_digest as policyDigest',
      'revision.revision',
      'revision.input_hash as inputHash',
      'revision.facts',
      'execution.attempt',
      'execution.epoch',
      'execution.started_at as startedAt',
    ])
    .where('run.root_run_id', '=', rootRunId)
    .where('call.tool', '=', createWorkerName)
    .where('execution.state', '=', 'succeeded')
    .execute()
  for (const call of calls) {
    if (call.facts.detail?.['path'] !== `workers/${worker.name}.md`) continue
    const input = JSON.parse(await getText(ctx.db, call.inputHash)) as JsonObject
    if (input['definition'] !== worker.text) continue
    const [run, permit] = await together([
      ctx.db.selectFrom('run').selectAll().where('id', '=', call.runId).executeTakeFirst(),
      ctx.db.selectFrom('permit').selectAll().where('id', '=', call.permitId).executeTakeFirst(),
    ])
    if (run === undefined || permit === undefined) continue
    if (verifyRun(ctx.verifier, run)?.rootRunId !== rootRunId) continue
    const { attempt, callId, epoch, policyDigest, requestId, revision, runId } = call
    const { toolHash } = call.facts
    const verdict = verifyPermit(
      ctx,
      { ...permit, state: 'live' },
      {
        attempt,
        callId,
        epoch,
        policyDigest,
        requestId,
        revision,
        runId,
        digest: callDigest({ tool: createWorkerName, input, toolHash }),
        factsDigest: hashJson(call.facts),
        now: call.startedAt ?? new Date(),
      },
    )
    if (verdict.ok) return true
  }
  return false
}
