import { isDeepStrictEqual } from 'node:util'
import { principalsOfRun } from '../../requests/people/principals-of-run.ts'
import { sql, type Selectable } from 'kysely'
import { callWorkerName } from '#domain/tools/built-in-tools.ts'
import { callDigest, canonicalJson, hashBytes, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { judge } from '#policy/judge/judge.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { preambleVersionOf } from '#policy/worker/worker-digest.ts'
import { getText } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { ApprovalGrantTable, PermitTable } from '#store/tables/decisions.ts'
import type { ExecutionTable, RunTable, ToolCallTable } from '#store/tables/runs.ts'
import type { RequestRevisionTable, RequestTable } from '#store/tables/requests.ts'
import { builtInToolHere } from '#tools/built-in.ts'
import { delegationOf } from '#tools/delegation/call-worker.ts'
import { registryOf } from '#tools/registry.ts'
import { childWorkspace, refusedToWorkspace } from '#policy/workspaces.ts'
import { childWorktree } from './open-child-run.ts'
import type { SigningContext } from '../../core/context.ts'
import { verifyPermit } from '../../permits/permits.ts'
import { verifyGrant } from '../../grants/verify-grant.ts'
import { termsOf, type RunTerms } from '../../core/run-terms.ts'
import { attachedOf, readAttachmentPermits } from './attachment-permits.ts'
import { isCreatedInRun } from './created-in-run.ts'
import { refusedStart } from '../../runs/starting/refused-start.ts'

/** A delegated run that may be signed, or the check that failed, for the trail. */
export type ChildStartVerdict =
  | {
      readonly ok: true
      readonly worker: WorkerDefinition
      readonly policyDigest: string
      /** of the call that starts it */
      readonly attempt: number
    }
  | { readonly ok: false; readonly check: string }

/**
 * Judges in the API process, before it signs, whether a call of its parent may have started a run
 * (architecture.md, delegation). The parent's lineage must be signed. The call must have a started
 * attempt that names this run. That attempt must have a right: a consumed permit or a grant,
 * verified by signature, or a policy or mode that does not ask. Somebody who can only write rows
 * gets no signature. The caller holds the locks of the lineage.
 */
export async function judgeChildStart(
  ctx: SigningContext,
  tx: Tx,
  child: Selectable<RunTable>,
  parent: Selectable<RunTable>,
  policy: Policy,
): Promise<ChildStartVerdict> {
  const no = (check: string): ChildStartVerdict => ({ ok: false, check })
  const parentCall = await readParentCall(tx, child)
  if (parentCall === null) return no('no call starts it')
  const { call, execution } = parentCall
  if (call.run_id !== parent.id || call.tool !== callWorkerName) return no('another call')
  if (execution.state !== 'started') return no('the attempt is not under way')
  if (execution.detail?.['childRunId'] !== child.id) return no('the attempt names another run')
  if (!(await followsLineage(tx, child, parent))) return no('lineage')
  const terms = await termsOf({ ...ctx, db: tx, policies: { inForce: async () => policy } }, parent)
  if (terms.statement === null) return no('the parent is not signed')
  const input = await inputOf(tx, parentCall)
  const judgement = await judgeAgain(ctx, tx, terms, parent, input)
  const { verdict } = judgement
  if (verdict === 'blocked' || verdict === 'error')
    return no(`policy: ${judgement.rule?.id ?? verdict}`)
  const failed = await failedCheck(ctx, tx, terms, parent, parentCall, judgement)
  if (failed !== null) return no(failed)
  const { worker, input: childInput } = delegationOf(judgement.input)
  const target = terms.policy.workers.get(worker)
  const matches =
    target !== undefined &&
    child.worker === worker &&
    child.input_digest === hashBytes(canonicalJson(childInput)) &&
    child.mode === terms.mode &&
    child.root_run_id === parent.root_run_id &&
    child.started_by === parent.started_by &&
    child.task_queue === parent.task_queue &&
    child.workspace === childWorkspace(parent.workspace, target) &&
    isDeepStrictEqual(child.worktree, childWorktree(parent, target))
  if (!matches) return no('it is not the run that the call asked for')
  const { attempt } = execution
  return { ok: true, worker: target, policyDigest: terms.policy.digest, attempt }
}

interface ParentCall {
  readonly call: Selectable<ToolCallTable>
  readonly execution: Selectable<ExecutionTable>
  readonly permit: Selectable<PermitTable> | null
  readonly grant: Selectable<ApprovalGrantTable> | null
  /** the request that the permit approves */
  readonly request: Selectable<RequestTable> | null
  readonly revision: Selectable<RequestRevisionTable> | null
}

async function readParentCall(tx: Tx, child: Selectable<RunTable>): Promise<ParentCall | null> {
  const { rows } = await sql<Record<keyof ParentCall, JsonRow | null>>`
    select to_jsonb(call) as call, to_jsonb(newest) as execution, to_jsonb(permit) as permit,
      to_jsonb(approval_grant) as grant, to_jsonb(request) as request,
      to_jsonb(request_revision) as revision
    from tool_call as call
    join lateral (
      select * from execution where call_id = call.id order by attempt desc limit 1
    ) as newest on true
    left join permit on permit.id = newest.permit_id
    left join approval_grant on approval_grant.id = newest.grant_id
    left join request on request.id = permit.request_id
    left join request_revision
      on request_revision.request_id = request.id and request_revision.revision = permit.revision
    where call.id = ${child.parent_call_id}
  `.execute(tx)
  const [row] = rows
  if (row?.call == null || row.execution === null) return null
  const parse = <T extends object>(row: JsonRow | null): T | null =>
    row === null ? null : fromJsonRow<T>(row)
  return {
    call: fromJsonRow(row.call),
    execution: fromJsonRow(row.execution),
    permit: parse(row.permit),
    grant: parse(row.grant),
    request: parse(row.request),
    revision: parse(row.revision),
  }
}

/** The parent's lineage, then the run: its people cannot decide. */
async function followsLineage(
  tx: Tx,
  child: Selectable<RunTable>,
  parent: Selectable<RunTable>,
): Promise<boolean> {
  const { rows } = await sql<{ same: boolean }>`
    select not exists (
      (select ancestor_id, depth from run_lineage where run_id = ${child.id} and ancestor_id <> ${child.id}
        except select ancestor_id, depth from run_lineage where run_id = ${parent.id})
      union all
      (select ancestor_id, depth from run_lineage where run_id = ${parent.id}
        except select ancestor_id, depth from run_lineage where run_id = ${child.id})
    ) and exists (
      select from run_lineage where run_id = ${child.id} and ancestor_id = ${child.id}
        and depth = (select count(*) from run_lineage where run_id = ${parent.id})
    ) as same
  `.execute(tx)
  return rows[0]?.same === true
}

/** The input that a person approved, perhaps edited; else the model's own. */
async function inputOf(tx: Tx, { call, revision }: ParentCall): Promise<JsonObject> {
  return JSON.parse(await getText(tx, revision?.input_hash ?? call.input_hash)) as JsonObject
}

/** By the policy in force, without grants or files: their bytes are in the permits. */
async function judgeAgain(
  ctx: SigningContext,
  tx: Tx,
  terms: RunTerms,
  parent: Selectable<RunTable>,
  input: JsonObject,
): Promise<Judgement> {
  const { policy, lineage, mode } = terms
  const worker = policy.workers.get(parent.worker)
  const tool = worker === undefined ? null : builtInToolHere(callWorkerName, { policy, worker })
  return judge({
    policy,
    lineage,
    runMode: mode,
    worker: parent.worker,
    tool: callWorkerName,
    input,
    registry: registryOf(tool === null ? [] : [tool]),
    workspace: noWorkspace,
    projectDir: '/',
    hasDuplicateId: false,
    byPerson: worker?.tools.get(callWorkerName)?.manual === true,
    refuseTarget: async (target) =>
      refusedToWorkspace(policy.config, parent.workspace, target) ??
      (await refusedStart({ ...ctx, db: tx }, policy, target, parent.started_by, () =>
        principalsOfRun(tx, parent.id),
      )),
    isCreatedInRun: (target) => isCreatedInRun({ ...ctx, db: tx }, parent.root_run_id, target),
    findGrant: async () => null,
  })
}

async function refuseAccess(): Promise<never> {
  throw new Error('this process touches no workspace')
}

const noWorkspace: Workspace = {
  root: '/',
  hidden: [],
  state: async () => ({ kind: 'file', bytes: 0 }),
  read: refuseAccess,
  copy: refuseAccess,
  list: refuseAccess,
  write: refuseAccess,
  remove: refuseAccess,
  move: refuseAccess,
}

/** The check of the attempt's right that failed, or `null`. */
async function failedCheck(
  ctx: SigningContext,
  tx: Tx,
  terms: RunTerms,
  parent: Selectable<RunTable>,
  parentCall: ParentCall,
  judgement: Judgement,
): Promise<string | null> {
  const { call, execution, grant } = parentCall
  if (execution.permit_id !== null) {
    return failedPermitCheck(ctx, tx, terms, parentCall, judgement)
  }
  if (judgement.verdict === 'preApproved') return null
  const { toolHash, digest } = judgement
  const expected = { tool: call.tool, digest, toolHash, path: null }
  const isGranted =
    grant !== null &&
    verifyGrant(ctx, grant, { rootRunId: parent.root_run_id, call: expected }) !== null
  return isGranted ? null : 'nobody approved it'
}

/** The check of a consumed permit, of the target worker and of the attachments that failed. */
async function failedPermitCheck(
  ctx: SigningContext,
  tx: Tx,
  { policy }: RunTerms,
  parentCall: ParentCall,
  judgement: Judgement,
): Promise<string | null> {
  const { call, execution, permit, request, revision } = parentCall
  if (permit === null || request === null || revision === null) return 'no permit'
  if (permit.state !== 'consumed') return 'the permit was not consumed'
  const { facts } = revision
  const { toolHash } = facts
  const { input } = judgement
  const startedAt = execution.started_at ?? new Date()
  const verdict = verifyPermit(
    ctx,
    { ...permit, state: 'live' },
    {
      requestId: request.id,
      revision: revision.revision,
      runId: call.run_id,
      callId: call.id,
      digest: callDigest({ tool: call.tool, input, toolHash }),
      factsDigest: hashJson(facts),
      policyDigest: request.policy_digest,
      attempt: execution.attempt,
      epoch: Math.max(execution.epoch, ctx.memory.epoch()),
      now: startedAt,
    },
  )
  if (!verdict.ok) return `permit: ${verdict.detail}`
  const { worker } = delegationOf(input)
  const target = policy.workers.get(worker)
  if (target === undefined || preambleVersionOf(target, facts.detail?.['workerDigest']) === null) {
    return 'another target worker'
  }
  const attachments = await readAttachmentPermits({ ...ctx, db: tx }, parentCall, {
    worker,
    toolHash,
    files: attachedOf(facts, judgement),
    consumed: { at: startedAt, epoch: execution.epoch },
  })
  return attachments.kind === 'valid' ? null : `attachment: ${attachments.kind}`
}
