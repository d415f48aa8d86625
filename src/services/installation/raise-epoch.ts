import { sql } from 'kysely'
import { permitTransitions, transition } from '#domain/requests/transitions.ts'
import type { Policy } from '#policy/policy.ts'
import { toJsonb } from '#store/database.ts'
import type { ServiceContext, SystemContext } from '../core/context.ts'
import { nextAttemptOf, readCall, type CallAtHand } from '../engine/attempts/call-at-hand.ts'
import { loseExecution } from '../engine/attempts/lose-execution.ts'
import { settleGatewayCall } from '../gateway/settle-gateway-call.ts'
import { askedBeforeRestore } from '../requests/facts/asked-before-restore.ts'
import { lockRun } from '../core/locks.ts'
import { refuseForgedEpoch, uncertainCalls } from './epoch-of-rows.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'

const doctor: SystemCaller = { actor: { type: 'system', name: 'doctor' }, channel: 'system' }
const why = 'Postgres or Temporal was restored from an older copy, so later events are not known'

export interface RaisedEpoch {
  readonly epoch: number
  /** calls that may have run meanwhile, each now with an outcome check */
  readonly checks: number
  /** requests that are pending again, and may have been decided in lost rows */
  readonly waiting: number
}

/** What is missing from a Postgres that was emptied or restored from an older copy. */
export interface LostRows {
  /** calls without a request that may have been carried out in lost rows */
  readonly mayHaveRun: readonly string[]
}

/**
 * Accepts a restored installation (architecture.md, never more certain than the facts): raises its
 * epoch and accepts the present Temporal namespace. Every live permit of a run, and every started
 * execution or gateway call, becomes an outcome check, since nobody knows whether it ran in the
 * lost time.
 * `lost`: `null` when only Temporal lost something; otherwise `mayHaveRun` become outcome checks
 * too, and pending requests are marked as asked before a restore. If it is interrupted, run it
 * again: until it is complete, the service refuses to start on lost rows.
 */
export async function raiseEpoch(
  ctx: SystemContext,
  input: { readonly namespaceId: string | null; readonly lost: LostRows | null },
): Promise<RaisedEpoch> {
  const { namespaceId, lost } = input
  const policy = await ctx.policies.inForce()
  // An older copy that is restored a second time does not know the epoch that followed the first.
  const next = sql<number>`greatest(epoch, ${ctx.memory.epoch()}::int) + 1`
  const epoch = await inUnitOfWork(ctx, bySystem(ctx, doctor), async (unit) => {
    await refuseForgedEpoch(unit.tx, ctx.memory)
    const raised = await unit.tx
      .updateTable('installation')
      .set({
        epoch: next,
        namespace_id: namespaceId,
        ...(lost !== null && {
          restored_epoch: next,
          restored_at: sql<Date>`coalesce(restored_at, clock_timestamp())`,
        }),
      })
      .returning('epoch')
      .executeTakeFirstOrThrow()
    await unit.audit({ type: 'system.reconciled', detail: { epoch: raised.epoch } })
    return raised.epoch
  })
  let checks = 0
  for (const callId of [...(await uncertainCalls(ctx.db)), ...(lost?.mayHaveRun ?? [])]) {
    const became = await inUnitOfWork(ctx, bySystem(ctx, doctor), (unit) =>
      becomeCheck(unit, policy, callId, epoch),
    )
    if (became) checks += 1
  }
  for (const requestId of await openGatewayCalls(ctx)) {
    await settleGatewayCall(ctx, { requestId })
    checks += 1
  }
  await ctx.db.updateTable('installation').set({ restored_at: null }).execute()
  return { epoch, checks, waiting: await countWaiting(ctx) }
}

async function countWaiting({ db }: ServiceContext): Promise<number> {
  const { waiting } = await db
    .selectFrom('request')
    .select(sql<number>`count(*)::int`.as('waiting'))
    .where(askedBeforeRestore)
    .executeTakeFirstOrThrow()
  return waiting
}

/** Calls of the gateway that have begun: Temporal may have lost the workflow that settles them. */
async function openGatewayCalls({ db }: ServiceContext): Promise<string[]> {
  const rows = await db
    .selectFrom('gateway_call')
    .innerJoin('external_request', 'external_request.request_id', 'gateway_call.request_id')
    .select('gateway_call.request_id')
    .where('consumed_at', 'is not', null)
    .where('outcome', 'is', null)
    .where('refusal', 'is', null)
    .execute()
  return rows.map((row) => row.request_id)
}

async function becomeCheck(
  unit: UnitOfWork,
  policy: Policy,
  callId: string,
  epoch: number,
): Promise<boolean> {
  const unlocked = await readCall(unit.tx, callId)
  if (unlocked === null) return false
  await lockRun(unit.tx, unlocked.run.id)
  const at = await readCall(unit.tx, callId)
  if (at === null) return false
  const permitId = await revokeOldPermit(unit, at, epoch)
  if (at.execution?.state !== 'started') {
    if (permitId === null && !hasNoRequest(at)) return false
    const inputHash = await approvedInput(unit, at)
    await unit.tx
      .insertInto('execution')
      .values(mayHaveStarted(at, { permitId, inputHash, epoch }))
      .execute()
  }
  const uncertain = await readCall(unit.tx, callId)
  if (uncertain === null) return false
  await loseExecution(unit, policy, uncertain, why)
  await unit.enqueue({
    kind: 'signal_decided',
    runId: at.run.id,
    payload: { requestIds: at.request === null ? [] : [at.request.id] },
  })
  return true
}

/** Whether it has no request, and was not carried out as far as the rows say. */
function hasNoRequest({ call, execution }: CallAtHand): boolean {
  return call.request_id === null && call.result_type === null && execution === null
}

async function revokeOldPermit(
  unit: UnitOfWork,
  at: CallAtHand,
  epoch: number,
): Promise<string | null> {
  const permit = await unit.tx
    .updateTable('permit')
    .set({
      state: transition(permitTransitions, 'live', 'revoke') ?? 'live',
      ended_at: sql<Date>`clock_timestamp()`,
    })
    .where('call_id', '=', at.call.id)
    .where('state', '=', 'live')
    .where('epoch', '<', epoch)
    .returning(['id', 'request_id'])
    .executeTakeFirst()
  if (permit === undefined) return null
  await unit.audit({
    type: 'permit.revoked',
    runId: at.run.id,
    requestId: permit.request_id,
    callId: at.call.id,
    detail: { permitId: permit.id, why: 'restored' },
  })
  return permit.id
}

/** The input that the approver saw, which an edit may have changed. */
async function approvedInput(unit: UnitOfWork, at: CallAtHand): Promise<string> {
  if (at.request === null) return at.call.input_hash
  const revision = await unit.tx
    .selectFrom('request_revision')
    .select('input_hash')
    .where('request_id', '=', at.request.id)
    .where('revision', '=', at.request.revision)
    .executeTakeFirstOrThrow()
  return revision.input_hash
}

/** An attempt that may have run in the lost time is recorded as started: a person settles it. */
function mayHaveStarted(
  at: CallAtHand,
  uncertain: {
    readonly permitId: string | null
    readonly inputHash: string
    readonly epoch: number
  },
) {
  return {
    call_id: at.call.id,
    attempt: nextAttemptOf(at),
    state: 'started' as const,
    reason: null,
    request_id: at.request?.id ?? null,
    permit_id: uncertain.permitId,
    grant_id: null,
    executed_digest: at.request?.digest ?? at.call.digest,
    executor: null,
    exit_code: null,
    output_hash: null,
    detail: toJsonb({ inputHash: uncertain.inputHash }),
    settled_by: null,
    settled_then: null,
    epoch: uncertain.epoch,
    started_at: null,
    finished_at: null,
  }
}
