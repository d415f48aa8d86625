import { randomUUID } from 'node:crypto'
import { newId } from '#domain/new-id.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import { hasFailedWith } from '#store/connection/fail-unless.ts'
import { putContent } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { areAttachmentsLive, openChildRun, spendAttachments } from '../delegation/open-child-run.ts'
import type { DelegationPlan } from '../delegation/plan-delegation.ts'
import { findGrant } from '../../grants/find-grant.ts'
import { useGrant } from '../../grants/use-grant.ts'
import { measureTime } from '../../core/elapsed-time.ts'
import { inUnitOfWork, type UnitOfWork, type UnitEntry } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import {
  aboutCall,
  lockCall,
  requestChanged,
  setChainOf,
  waitFor,
  nextAttemptOf,
  type CallAtHand,
  type CallApproval,
} from '../attempts/call-at-hand.ts'
import type { ExecutionPlan } from '../attempts/execution-plan.ts'
import { isRepeated, keyAttemptOf } from '../attempts/repeat-attempt.ts'
import { unmarkUnusable } from '../attempts/unusable-workspace.ts'
import { confirmStart } from './confirm-start.ts'
import { checkPermit } from './plan-approved.ts'
import { attemptToStart, changedSince } from '../attempts/start-attempt.ts'
import { bySystem, executor } from '../../core/authority.ts'
import { invocationOf } from '../../requests/people/principals-of-call.ts'

/** A start that is recorded: its attempt may act. */
export interface StartedAttempt {
  readonly kind: 'started'
  readonly attempt: number
  /** no other start has it */
  readonly startId: string
  /** the time since this start was sent */
  readonly elapsedMs: () => number
  /** for a grant with a bound: the number of the use that was taken */
  readonly grantUse: number | null
}

/** A start before it is recorded. Each try whose transaction reached its commit adds to `sent`. */
interface NewStart extends Pick<StartedAttempt, 'startId' | 'elapsedMs'> {
  readonly sent: StartedAttempt[]
}

/**
 * `retry`: something changed between verifying and starting. `given up`: the attempt was started,
 * and others have given it up since.
 */
export type StartedExecution =
  | StartedAttempt
  | { readonly kind: 'retry' | 'given up' }
  | { readonly kind: 'answer'; readonly outcome: CallOutcome }

/**
 * Starts the execution of a verified call in one transaction. Under the locks it reads once more
 * everything that can end a right. Then it consumes the permit or one use of the grant, marks the
 * attempt `started`, and writes the run of a delegation. Of several concurrent callers, one starts
 * it. If the answer to the commit is lost, it reads whether this very start is recorded.
 */
export async function startExecution(
  ctx: WorkerContext,
  planned: CallAtHand,
  plan: ExecutionPlan,
  delegation: DelegationPlan | null,
): Promise<StartedExecution> {
  const startId = randomUUID()
  const elapsedMs = measureTime()
  /** The tries whose transaction reached its commit: only the last can be recorded. */
  const sent: StartedAttempt[] = []
  try {
    return await startOnce(ctx, planned, plan, delegation, { startId, elapsedMs, sent })
  } catch (error) {
    if (hasFailedWith(error, changedSince)) return { kind: 'retry' }
    const last = sent.at(-1)
    if (last === undefined) throw error
    const { id: callId, request_id: requestId } = planned.call
    const start = { callId, requestId, attempt: last.attempt, digest: plan.digest, startId }
    return (await confirmStart(ctx, start, error)) ? last : { kind: 'given up' }
  }
}

async function startOnce(
  ctx: WorkerContext,
  planned: CallAtHand,
  plan: ExecutionPlan,
  delegation: DelegationPlan | null,
  { startId, elapsedMs, sent }: NewStart,
): Promise<StartedExecution> {
  const callId = planned.call.id
  const { authorisation } = plan
  const requestIds = new Set(planned.call.request_id === null ? [] : [planned.call.request_id])
  if (authorisation.by === 'permit') requestIds.add(authorisation.requestId)
  for (const { requestId } of delegation?.permits ?? []) requestIds.add(requestId)
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const { tx } = unit
    const at = await lockCall(tx, callId, [...requestIds])
    if (at === null || isEnd(runTransitions, at.run.state)) {
      return { kind: 'answer', outcome: { kind: 'ended' } }
    }
    setChainOf(unit, at)
    const instead = await insteadOfStart(ctx, tx, planned, at, plan)
    if (instead !== null) return instead
    await unmarkUnusable(unit, at.run)
    const attempt = nextAttemptOf(at)
    if (delegation !== null && !(await areAttachmentsLive(tx, delegation))) return { kind: 'retry' }
    const right = await takeRight(ctx, unit, at, plan)
    if (!right.holds) return { kind: 'retry' }
    const childRunId = delegation === null ? null : newId()
    const inputHash = plan.inputHash ?? (await putContent(tx, canonicalJson(plan.input)))
    const starting = {
      callId,
      attempt,
      requestId: authorisation.by === 'permit' ? at.call.request_id : null,
      permitId: authorisation.by === 'permit' ? authorisation.permitId : null,
      grantId: authorisation.by === 'grant' ? authorisation.grantId : null,
      digest: plan.digest,
      executor: ctx.executor,
      detail: {
        startId,
        inputHash,
        ...repetition(plan, at),
        ...(childRunId === null ? {} : { childRunId }),
      },
      facts: plan.facts,
      epoch: at.epoch,
      newestPolicy: at.newestPolicy,
    }
    unit.sendLast(attemptToStart(starting))
    if (at.approval !== null && authorisation.by === 'permit') {
      await unit.audit(permitConsumed(at, at.approval, plan))
    }
    await unit.audit(executionStarted(at, plan, { attempt, executor: ctx.executor, childRunId }))
    if (delegation !== null && childRunId !== null) {
      await spendAttachments(unit, executor, at, delegation)
      const { policyDigest } = plan
      await openChildRun(unit, at, delegation, { id: childRunId, policyDigest })
    }
    await requestChanged(unit, at)
    const { grantUse } = right
    const started: StartedAttempt = { kind: 'started', attempt, startId, elapsedMs, grantUse }
    sent.push(started)
    return started
  })
}

/** What happens in place of a start, by what is read under the locks; `null`: it may start. */
async function insteadOfStart(
  ctx: WorkerContext,
  tx: Tx,
  planned: CallAtHand,
  at: CallAtHand,
  plan: ExecutionPlan,
): Promise<StartedExecution | null> {
  if (at.call.result_type !== null || isOpen(at)) return { kind: 'retry' }
  if (at.isStopped && at.execution === null) return { kind: 'retry' }
  if (at.call.request_id !== planned.call.request_id) return { kind: 'retry' }
  if (!(await isJudgedNow(ctx, tx, at, plan))) return { kind: 'retry' }
  const outcome = await waitForEarlier(tx, at)
  return outcome === null ? null : { kind: 'answer', outcome }
}

/**
 * Whether the version that judged the plan is in force: another one may have been activated while
 * a server was started or files were read. A row that somebody wrote is no activation.
 */
async function isJudgedNow(
  { policies }: WorkerContext,
  tx: Tx,
  { newestPolicy }: CallAtHand,
  { policyDigest }: ExecutionPlan,
): Promise<boolean> {
  return newestPolicy === policyDigest || (await policies.inForce(tx)).digest === policyDigest
}

/** Stored for tools of which a second attempt does no harm: they only read, or declare it. */
function repetition({ tool }: ExecutionPlan, at: CallAtHand): JsonObject {
  if (!tool.readOnly && !tool.idempotent) return {}
  return isRepeated(at) ? { repeatable: true, keyAttempt: keyAttemptOf(at) } : { repeatable: true }
}

/** Whether an attempt runs, or nobody knows yet how it ended. */
function isOpen(at: CallAtHand): boolean {
  const { execution } = at
  if (execution === null) return false
  return (
    execution.state === 'started' ||
    (execution.state === 'unknown' && execution.settled_then !== 'again')
  )
}

/** Calls with effects run in the model's order, whichever is executed first (product.md 15). */
async function waitForEarlier(tx: Tx, at: CallAtHand): Promise<CallOutcome | null> {
  if (at.call.read_only && at.call.verdict === 'preApproved') return null
  if (at.earlier.length === 0) return null
  const requestIds = at.earlier.flatMap(({ requestId }) => (requestId === null ? [] : [requestId]))
  return waitFor(tx, at.run.id, requestIds)
}

interface RightToStart {
  readonly holds: boolean
  readonly grantUse: number | null
}

/** Whether the verified right still exists; takes one use of a grant. */
async function takeRight(
  ctx: WorkerContext,
  unit: UnitOfWork,
  at: CallAtHand,
  plan: ExecutionPlan,
): Promise<RightToStart> {
  const { authorisation } = plan
  if (authorisation.by === 'policy') return rightWithoutUse(at.call.verdict === 'preApproved')
  if (authorisation.by === 'permit') {
    const { approval } = at
    const ok =
      approval?.permit.id === authorisation.permitId &&
      checkPermit(ctx, at, approval, plan.digest).ok
    return rightWithoutUse(ok)
  }
  const path = plan.tool.accesses(plan.input)
  const grant = await findGrant(
    { ...ctx, db: unit.tx },
    {
      runId: at.run.id,
      rootRunId: at.run.root_run_id,
      call: {
        tool: plan.tool.name,
        digest: plan.digest,
        toolHash: plan.facts.toolHash,
        path: path.length === 1 ? (path[0]?.path ?? null) : null,
      },
      invocation: invocationOf(at.call),
      // As in the plan: the tool itself compares again right before it acts.
      restsOn: async () => (plan.tool.restsOn === undefined ? null : plan.facts),
    },
  )
  if (grant === null || grant.id !== authorisation.grantId) return rightWithoutUse(false)
  const { id: runId } = at.run
  const use = await useGrant(unit, {
    grantId: grant.id,
    runId,
    callId: at.call.id,
    digest: plan.digest,
    policyDigest: plan.policyDigest,
  })
  return { holds: use !== null, grantUse: grant.statement.uses === null ? null : use }
}

function rightWithoutUse(holds: boolean): RightToStart {
  return { holds, grantUse: null }
}

function permitConsumed(
  at: CallAtHand,
  { permit, request }: CallApproval,
  plan: ExecutionPlan,
): UnitEntry {
  return {
    type: 'permit.consumed',
    runId: at.run.id,
    requestId: request.id,
    callId: at.call.id,
    digest: plan.digest,
    policyDigest: request.policy_digest,
    detail: { permitId: permit.id, attempt: permit.attempt },
  }
}

function executionStarted(
  at: CallAtHand,
  { authorisation, digest, judgement, policyDigest, tool }: ExecutionPlan,
  start: {
    readonly attempt: number
    readonly executor: string
    readonly childRunId: string | null
  },
): UnitEntry {
  return {
    type: 'execution.started',
    ...aboutCall(at),
    digest,
    policyDigest,
    detail: {
      attempt: start.attempt,
      tool: tool.name,
      by: authorisation.by,
      rule: judgement.rule?.id ?? null,
      executor: start.executor,
      ...(tool.unconfined === true ? { sandbox: 'none' } : {}),
      ...(start.childRunId === null ? {} : { childRunId: start.childRunId }),
    },
  }
}
