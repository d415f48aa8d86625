import { sql, type Selectable } from 'kysely'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import type { ServiceContext, SigningContext, SigningSystemContext } from '../../core/context.ts'
import { lockActivationShared, lockRun } from '../../core/locks.ts'
import { endRun } from './end-run.ts'
import { statementOf, verifyRun } from '../../core/verify-run.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { peopleOfCall } from '../../requests/people/principals-of-call.ts'
import { judgeChildStart } from '../delegation/judge-child-start.ts'
import { bySystem, type SystemCaller } from '../../core/authority.ts'

const relay: SystemCaller = { actor: { type: 'system', name: 'relay' }, channel: 'relay' }

/** Whether a run may be started: a root, or a delegated run that was signed. */
export async function isSigned(
  ctx: Pick<ServiceContext, 'db' | 'verifier'>,
  runId: string,
): Promise<boolean> {
  const run = await ctx.db.selectFrom('run').selectAll().where('id', '=', runId).executeTakeFirst()
  if (run === undefined) return false
  return run.parent_run_id === null || verifyRun(ctx.verifier, run) !== null
}

/**
 * Lets a run begin (architecture.md, delegation): a root run always; a delegated run is signed
 * after its parent's call was judged, or ended, with an event that names the check that failed.
 * False: do not start it.
 */
export async function admitRun(
  ctx: SigningSystemContext,
  input: { readonly runId: string },
): Promise<boolean> {
  if (await isSigned(ctx, input.runId)) return true
  // Read before the transaction, in which it would need a second connection.
  const policy = await ctx.policies.inForce()
  return inUnitOfWork(ctx, bySystem(ctx, relay), async (unit) => {
    await lockActivationShared(unit.tx)
    // A row that was inserted by SQL may lack its own place in a lineage.
    await sql`
      insert into run_lineage (run_id, ancestor_id, depth)
      select id, id, 0 from run where id = ${input.runId}
        and not exists (select from run_lineage where run_id = run.id)
    `.execute(unit.tx)
    const run = await lockRun(unit.tx, input.runId)
    if (isEnd(runTransitions, run.state)) return false
    if (verifyRun(ctx.verifier, run) !== null) return true
    const parent = await unit.tx
      .selectFrom('run')
      .selectAll()
      .where('id', '=', run.parent_run_id)
      .forUpdate()
      .executeTakeFirst()
    const verdict =
      parent === undefined || isEnd(runTransitions, parent.state)
        ? ({ ok: false, check: 'the run above has ended' } as const)
        : await judgeChildStart(ctx, unit.tx, run, parent, policy)
    if (!verdict.ok) {
      await refuse(unit, run, verdict.check)
      return false
    }
    const { worker, policyDigest, attempt } = verdict
    // After a reset of rows, one attempt of the call must not start a second run (security.md 29).
    const key = { kind: 'call', id: run.parent_call_id ?? '', part: `child-${attempt}` } as const
    if ((await ctx.ledger.first(key, run.id)) !== run.id) {
      await refuse(unit, run, 'the call started another run before')
      return false
    }
    await sign(ctx, unit, { ...run, worker_digest: worker.digest, policy_digest: policyDigest })
    return true
  })
}

async function sign(
  ctx: SigningContext,
  unit: UnitOfWork,
  run: Selectable<RunTable>,
): Promise<void> {
  const signedRun = signStatement(ctx.signer, 'run', statementOf(run))
  await unit.tx
    .updateTable('run')
    .set({
      worker_digest: run.worker_digest,
      policy_digest: run.policy_digest,
      signature: signedRun.signature,
      key_id: signedRun.keyId,
    })
    .where('id', '=', run.id)
    .execute()
  const { parent_run_id: parentRunId, parent_call_id: callId } = run
  const behind =
    parentRunId === null || callId === null
      ? []
      : await peopleOfCall(unit.tx, { runId: parentRunId, callId })
  await unit.audit({
    type: 'run.started',
    runId: run.id,
    ...(callId === null ? {} : { callId }),
    policyDigest: run.policy_digest,
    detail: {
      worker: run.worker,
      workerDigest: run.worker_digest,
      inputDigest: run.input_digest,
      mode: run.mode,
      startedBy: run.started_by,
      parentRunId,
      ...(behind.length === 0 ? {} : { behind }),
      ...(run.workspace === defaultWorkspace ? {} : { workspace: run.workspace }),
    },
  })
  await unit.event('run.changed', { runId: run.id })
}

async function refuse(unit: UnitOfWork, run: Selectable<RunTable>, check: string): Promise<void> {
  await unit.audit({
    type: 'permit.refused',
    runId: run.id,
    ...(run.parent_call_id === null ? {} : { callId: run.parent_call_id }),
    detail: { permitId: null, reason: 'invalid_statement', check },
  })
  await endRun(unit, relay, run, {
    event: 'fail',
    cancelReason: 'run_failed',
    why: 'the run was refused',
    endReason: 'delegation_refused',
    failure: {
      code: 'delegation_refused',
      message: `This run was not started, because the call that starts it could not be verified (${check}).`,
    },
  })
}
