import { sql, type Selectable } from 'kysely'
import { callDigest, canonicalJson, hashBytes, hashJson } from '../../domain/digest.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Judgement } from '../../domain/judgement.ts'
import type { Workspace } from '../../domain/tool.ts'
import { judge } from '../../policy/judge/judge.ts'
import { callWorkerName } from '../../policy/worker/built-in-tool-names.ts'
import type { Policy, WorkerDefinition } from '../../policy/policy.ts'
import { getText } from '../../store/content/content.ts'
import type { Tx } from '../../store/database.ts'
import { fromJsonRow, type JsonRow } from '../../store/json-row.ts'
import type { ApprovalGrantTable, PermitTable } from '../../store/tables/decisions.ts'
import type { ExecutionTable } from '../../store/tables/executions.ts'
import type { RequestRevisionTable, RequestTable } from '../../store/tables/requests.ts'
import type { RunTable, ToolCallTable } from '../../store/tables/runs.ts'
import { callWorker, delegationOf } from '../../tools/delegation/call-worker.ts'
import { registryOf } from '../../tools/registry.ts'
import type { SigningContext } from '../context.ts'
import { verifyPermit } from '../decisions/permits/permits.ts'
import { verifyGrant } from '../grants/verify-grant.ts'
import { termsOf, type RunTerms } from '../runs/starting/run-terms.ts'
import { attachedOf, readAttachmentPermits } from './attachment-permits.ts'
import { refusedStart } from './refused-start.ts'

/** A delegated run that may be signed, or which check failed, for the trail. */
export type ClaimVerdict =
  | { readonly ok: true; readonly worker: WorkerDefinition; readonly policyDigest: string }
  | { readonly ok: false; readonly check: string }

/**
 * Judges in the API process, before it signs, whether a run was rightly started by a call of its parent (architecture.md,
 * delegation): the parent's lineage is signed, its call holds a started attempt that names this very run, and that attempt
 * has a right of its own: a consumed permit or a grant, verified by their signatures, or a policy or mode that asks nobody.
 * Whoever can only write rows gets no run signed this way. The caller holds the locks of the lineage.
 */
export async function judgeClaim(
  ctx: SigningContext,
  tx: Tx,
  child: Selectable<RunTable>,
  parent: Selectable<RunTable>,
  policy: Policy,
): Promise<ClaimVerdict> {
  const no = (check: string): ClaimVerdict => ({ ok: false, check })
  const claim = await readClaim(tx, child)
  if (claim === null) return no('no call claims it')
  const { call, execution } = claim
  if (call.run_id !== parent.id || call.tool !== callWorkerName) return no('another call')
  if (execution.state !== 'started') return no('the attempt is not under way')
  if (execution.detail?.['childRunId'] !== child.id) return no('the attempt names another run')
  if (!(await followsLineage(tx, child, parent))) return no('lineage')
  const terms = await termsOf({ ...ctx, db: tx, policies: { inForce: async () => policy } }, parent)
  if (terms.statement === null) return no('the parent is not signed')
  const input = await inputOf(tx, claim)
  const judgement = await judgeAgain(ctx, tx, terms, parent, input)
  const { verdict } = judgement
  if (verdict === 'blocked' || verdict === 'error')
    return no(`policy: ${judgement.rule?.id ?? verdict}`)
  const wrong = await wrongRight(ctx, tx, terms, parent, claim, judgement)
  if (wrong !== null) return no(wrong)
  const { worker, input: asked } = delegationOf(judgement.input)
  const target = terms.policy.workers.get(worker)
  const same =
    target !== undefined &&
    child.worker === worker &&
    child.input_digest === hashBytes(canonicalJson(asked)) &&
    child.mode === terms.mode &&
    child.root_run_id === parent.root_run_id &&
    child.started_by === parent.started_by &&
    child.task_queue === parent.task_queue
  if (!same) return no('it is not the run that the call asked for')
  return { ok: true, worker: target, policyDigest: terms.policy.digest }
}

interface Claim {
  readonly call: Selectable<ToolCallTable>
  readonly execution: Selectable<ExecutionTable>
  readonly permit: Selectable<PermitTable> | null
  readonly grant: Selectable<ApprovalGrantTable> | null
  /** what the permit was given for */
  readonly request: Selectable<RequestTable> | null
  readonly revision: Selectable<RequestRevisionTable> | null
}

async function readClaim(tx: Tx, child: Selectable<RunTable>): Promise<Claim | null> {
  const { rows } = await sql<Record<keyof Claim, JsonRow | null>>`
    select to_jsonb(call) as call, to_jsonb(newest) as execution, to_jsonb(permit) as permit,
      to_jsonb(given) as grant, to_jsonb(request) as request, to_jsonb(shown) as revision
    from tool_call as call
    join lateral (
      select * from execution where call_id = call.id order by attempt desc limit 1
    ) as newest on true
    left join permit on permit.id = newest.permit_id
    left join approval_grant as given on given.id = newest.grant_id
    left join request on request.id = permit.request_id
    left join request_revision as shown
      on shown.request_id = request.id and shown.revision = permit.revision
    where call.id = ${child.parent_call_id}
  `.execute(tx)
  const [row] = rows
  if (row?.call == null || row.execution === null) return null
  const read = <T extends object>(found: JsonRow | null): T | null =>
    found === null ? null : fromJsonRow<T>(found)
  return {
    call: fromJsonRow(row.call),
    execution: fromJsonRow(row.execution),
    permit: read(row.permit),
    grant: read(row.grant),
    request: read(row.request),
    revision: read(row.revision),
  }
}

/** The lineage is the parent's and the run itself, in that order: by it people are kept from deciding. */
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

/** What a person approved, which an edit may have changed; else what the model asked for. */
async function inputOf(tx: Tx, { call, revision }: Claim): Promise<JsonObject> {
  return JSON.parse(await getText(tx, revision?.input_hash ?? call.input_hash)) as JsonObject
}

/** By the policy in force, without grants. Files are taken on trust: their bytes are in the permits. */
async function judgeAgain(
  ctx: SigningContext,
  tx: Tx,
  terms: RunTerms,
  parent: Selectable<RunTable>,
  input: JsonObject,
): Promise<Judgement> {
  const { policy, lineage, mode } = terms
  const worker = policy.workers.get(parent.worker)
  return judge({
    policy,
    lineage,
    runMode: mode,
    worker: parent.worker,
    tool: callWorkerName,
    input,
    registry: registryOf(worker === undefined ? [] : [callWorker(policy, worker)]),
    workspace: unseenWorkspace,
    projectDir: '/',
    duplicateId: false,
    byPerson: worker?.tools.get(callWorkerName)?.manual === true,
    refuseTarget: (target) => refusedStart(tx, policy, target, parent.started_by),
    findGrant: async () => null,
  })
}

async function unseen(): Promise<never> {
  throw new Error('this process touches no workspace')
}

const unseenWorkspace: Workspace = {
  root: '/',
  state: async () => ({ kind: 'file', bytes: 0 }),
  read: unseen,
  list: unseen,
  write: unseen,
  remove: unseen,
  move: unseen,
}

/** Which check of the attempt's right failed, or `null`. */
async function wrongRight(
  ctx: SigningContext,
  tx: Tx,
  terms: RunTerms,
  parent: Selectable<RunTable>,
  claim: Claim,
  judgement: Judgement,
): Promise<string | null> {
  const { call, execution, permit, grant, request, revision } = claim
  if (execution.permit_id !== null) {
    if (permit === null || request === null || revision === null) return 'no permit'
    if (permit.state !== 'consumed') return 'the permit was not consumed'
    const { toolHash } = revision.facts
    const { input } = judgement
    const digest = callDigest({ tool: call.tool, input, toolHash })
    const held = verifyPermit(
      ctx.verifier,
      { ...permit, state: 'live' },
      {
        requestId: request.id,
        revision: revision.revision,
        runId: parent.id,
        callId: call.id,
        digest,
        factsDigest: hashJson(revision.facts),
        policyDigest: request.policy_digest,
        attempt: execution.attempt,
        epoch: execution.epoch,
        now: execution.started_at ?? new Date(),
      },
    )
    if (!held.ok) return `permit: ${held.detail}`
    const target = terms.policy.workers.get(delegationOf(input).worker)
    if (revision.facts.detail?.['workerDigest'] !== target?.digest) return 'another target worker'
    const attachments = await readAttachmentPermits({ verifier: ctx.verifier, db: tx }, claim, {
      worker: delegationOf(input).worker,
      toolHash,
      files: attachedOf(revision.facts, judgement),
      spent: { at: execution.started_at ?? new Date(), epoch: execution.epoch },
    })
    return attachments.kind === 'held' ? null : `attachment: ${attachments.kind}`
  }
  if (judgement.verdict === 'preApproved') return null
  const { toolHash, digest } = judgement
  const expected = { tool: call.tool, digest, toolHash, path: null }
  const given =
    grant !== null &&
    verifyGrant(ctx.verifier, grant, { rootRunId: parent.root_run_id, call: expected }) !== null
  return given ? null : 'nobody approved it'
}
