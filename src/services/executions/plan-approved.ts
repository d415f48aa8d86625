import { sql, type Selectable } from 'kysely'
import { callDigest, hashJson } from '../../domain/digest.ts'
import type { JsonObject } from '../../domain/json.ts'
import { getText } from '../../store/content.ts'
import type { Db, Tx } from '../../store/database.ts'
import { fromJsonRow, type JsonRow } from '../../store/json-row.ts'
import type { PermitTable, RequestRevisionTable, RequestTable } from '../../store/schema.ts'
import { verifyPermit, type PermitVerdict } from '../decisions/permits.ts'
import { judgeOne } from '../turns/judge-one.ts'
import { verifyRun } from '../runs/verify-run.ts'
import type { ServiceContext } from '../context.ts'
import type { WorkerContext } from '../worker-context.ts'
import { nextAttemptOf, type CallAtHand } from './call-at-hand.ts'
import { changedBase } from './check-bases.ts'
import type { ExecutionPlan, Refusal } from './execution-plan.ts'
import { refusedUnsigned } from './refusals.ts'

/** The newest permit of a call, and the revision it was given for: of its request, or of an outcome check that said `again`. */
export interface PermitAtHand {
  readonly permit: Selectable<PermitTable>
  readonly request: Selectable<RequestTable>
  readonly revision: Selectable<RequestRevisionTable>
  /** the installation's epoch, and the database's clock, when it was read */
  readonly epoch: number
  readonly now: Date
}

/** Reads the newest permit of a call with the moment of reading; `null` when it never got one. One query. */
export async function readPermit(db: Db | Tx, callId: string): Promise<PermitAtHand | null> {
  const { rows } = await sql<{
    permit: JsonRow
    request: JsonRow
    revision: JsonRow
    epoch: number
    now: Date
  }>`
    select to_jsonb(permit) as permit, to_jsonb(request) as request, to_jsonb(shown) as revision,
      installation.epoch, clock_timestamp() as now
    from permit
    join request on request.id = permit.request_id
    join request_revision as shown
      on shown.request_id = request.id and shown.revision = request.revision
    cross join installation
    where permit.call_id = ${callId}
    order by permit.issued_at desc, permit.id desc limit 1
  `.execute(db)
  const [row] = rows
  if (row === undefined) return null
  return {
    permit: fromJsonRow(row.permit),
    request: fromJsonRow(row.request),
    revision: fromJsonRow(row.revision),
    epoch: row.epoch,
    now: row.now,
  }
}

/** Whether a permit is for exactly this call, attempt and moment. `digest` is what the executor computed itself. */
export function checkPermit(
  ctx: ServiceContext,
  at: CallAtHand,
  held: PermitAtHand,
  digest: string,
): PermitVerdict {
  return verifyPermit(ctx.verifier, held.permit, {
    requestId: held.request.id,
    revision: held.request.revision,
    runId: at.run.id,
    callId: at.call.id,
    digest,
    factsDigest: hashJson(held.revision.facts),
    policyDigest: held.request.policy_digest,
    attempt: nextAttemptOf(at),
    epoch: held.epoch,
    now: held.now,
  })
}

/**
 * Verifies an approved call (architecture.md, the executor trusts nobody): run statement, permit, the digest of its own
 * input, whether policy blocks it by now, and whether the tool and the files are still what was shown.
 */
export async function planApproved(
  ctx: WorkerContext,
  at: CallAtHand,
): Promise<ExecutionPlan | Refusal> {
  const statement = verifyRun(ctx.verifier, at.run)
  if (statement === null) return refusedUnsigned('invalid_statement', 'run', null)
  const [held, policy] = await Promise.all([readPermit(ctx.db, at.call.id), ctx.policies.inForce()])
  if (held === null) return refusedUnsigned('unsigned', 'no permit', null)
  const { permit, request, revision } = held
  const { facts } = revision
  const input = JSON.parse(await getText(ctx.db, revision.input_hash)) as JsonObject
  const digest = callDigest({ tool: request.tool, input, toolHash: facts.toolHash })
  const allowed = checkPermit(ctx, at, held, digest)
  if (!allowed.ok && allowed.reason === 'invalid_permit') {
    return refusedUnsigned('invalid_permit', allowed.detail, permit.id)
  }
  const common = { kind: 'refuse' as const, permitId: permit.id, policyDigest: null }
  if (!allowed.ok && allowed.reason === 'revoked') {
    const text = 'its approval was taken back'
    return {
      ...common,
      reason: 'revoked',
      detail: 'permit',
      then: { next: 'result', type: 'cancelled', text },
    }
  }
  const registry = await ctx.registryOf(policy, at.run.worker)
  const workspace = await ctx.workspaceOf({ taskQueue: at.run.task_queue }, policy)
  const judgement = await judgeOne(ctx, {
    run: at.run,
    mode: statement.mode,
    policy,
    registry,
    tool: request.tool,
    input,
    duplicateId: false,
    byPerson: at.call.manual,
    grants: false,
    assumed: { workspace, earlierWrites: new Set() },
  })
  const judged = { ...common, policyDigest: judgement.policyDigest }
  if (judgement.verdict === 'blocked') {
    return {
      ...judged,
      reason: 'blocked',
      detail: judgement.rule?.id ?? 'policy',
      then: { next: 'result', type: 'blocked', text: judgement.reason },
    }
  }
  const tool = registry.get(request.tool)
  if (judgement.verdict === 'error' || tool === undefined) {
    return {
      ...judged,
      reason: 'stale',
      detail: 'cannot run any more',
      then: { next: 'result', type: 'error', text: judgement.reason },
    }
  }
  const ask = { next: 'ask' as const, judgement, input }
  if (!allowed.ok) return { ...judged, reason: 'lapsed', detail: 'permit', then: ask }
  if (judgement.toolHash !== facts.toolHash || judgement.digest !== digest) {
    return { ...judged, reason: 'stale', detail: 'tool definition', then: ask }
  }
  const changed = await changedBase(workspace, facts)
  if (changed !== null) return { ...judged, reason: 'stale', detail: 'base', then: ask }
  return {
    kind: 'run',
    tool,
    input,
    inputHash: revision.input_hash,
    facts,
    digest,
    policyDigest: judgement.policyDigest,
    authority: { by: 'permit', permitId: permit.id, requestId: request.id },
    workspace,
    judgement,
  }
}
