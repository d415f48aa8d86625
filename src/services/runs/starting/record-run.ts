import { newId } from '#domain/new-id.ts'
import type { Actor } from '#domain/actor.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { RunState } from '#domain/requests/request.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { RunStatement } from '#domain/statements/statement.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import type { StartVerdict } from '#domain/runs/start-of-run.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { defaultWorkspace, type Isolation } from '#domain/tools/workspace-name.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { RunAttachment } from '../../core/attached-files.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { signedWorktree } from '../../core/verify-run.ts'
import type { UnitEntry, UnitOfWork } from '../../core/unit-of-work.ts'
import type { Principal } from '../../requests/people/principals-of-run.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import type { WorktreeRow } from '#store/tables/runs.ts'
import { endUnstarted } from '../../requests/ending/end-unstarted.ts'
import { assertReachableBy, readDeciders } from './reachable-approvers.ts'
import { askToStart, judgedStart } from './ask-to-start.ts'
import { insertRun, workflowIdOf, type Fork } from './insert-run.ts'
import { requireMayStart } from './require-may-start.ts'
import type { MessageFileToStore } from '../../transcript/sent-files.ts'
import type { WorktreeStart } from './worktree-start.ts'

export interface WorkspaceOfRun extends Partial<WorktreeOfRun> {
  readonly name: string
  readonly isolation: Isolation
  /** when somebody discarded its worktree, as ISO text */
  readonly discardedAt?: string
  /** when the service removed it, as ISO text */
  readonly removedAt?: string
}

/** The workspace of a run for callers. */
export function workspaceOfRun(name: string, worktree: WorktreeRow | null): WorkspaceOfRun {
  if (worktree === null) return { name, isolation: 'none' }
  const { branch, base, baseCommit, discardedAt, removedAt } = worktree
  return {
    name,
    isolation: 'worktree',
    branch,
    base,
    baseCommit,
    ...(discardedAt !== undefined && { discardedAt }),
    ...(removedAt !== undefined && { removedAt }),
  }
}

function worktreeDetail(worktree: WorktreeRow | null): JsonObject {
  if (worktree === null) return {}
  const { branch, base, baseCommit } = worktree
  return { worktree: { branch, base, baseCommit } }
}

/** The run that a run was forked from, and the last turn taken over from it. */
export interface ForkedFrom {
  readonly runId: string
  readonly number: number
  readonly turn: number
}

/** The answer to a start; dates are text, so that a repeated call gets the same answer. */
export interface StartedRun {
  readonly id: string
  /** short, for people */
  readonly number: number
  readonly workflowId: string
  readonly worker: string
  readonly state: RunState
  readonly mode: RunMode
  readonly conversation: boolean
  /** `null`: nobody; a trigger started it */
  readonly startedBy: PersonRef | null
  readonly forkedFrom?: ForkedFrom
  readonly workspace: WorkspaceOfRun
  readonly createdAt: string
}

export interface RunToRecord {
  /** absent: a new one */
  readonly id?: string
  readonly input: Json
  readonly text: string
  readonly attachments: readonly RunAttachment[]
  /** files of the first message; absent: none */
  readonly files?: readonly MessageFileToStore[]
  readonly mode: RunMode
  /** the version that pins the worker */
  readonly policyDigest: string
  /** the version in force, and its worker: they decide whether the start asks */
  readonly policy: Policy
  readonly current: WorkerDefinition
  readonly taskQueue: string
  /** name of the workspace that it works in */
  readonly workspace: string
  /** where its worktree begins; `null`: it has none */
  readonly worktree: WorktreeStart | null
  readonly worker: WorkerDefinition
  readonly isConversation: boolean
  readonly starter: PersonRef | null
  /** the people behind its requests, as far as its start determines them */
  readonly principals: readonly Principal[]
  /**
   * what started it without a caller, `trigger:NAME` or `schedule:NAME`; in a fork that repeats the
   * task of a trigger, that trigger
   */
  readonly startedFrom?: string
  /** who else is behind it: the caller who triggered a schedule */
  readonly behind?: readonly string[]
  /** the author of its first message; absent: the caller */
  readonly author?: Actor
  readonly budget: RunBudget | null
  readonly fork: Fork | null
}

/** The facts of a run that is not a fork from the policy in force, its worker and its workspace. */
export function newRunOf(
  ctx: SigningContext,
  policy: Policy,
  worker: WorkerDefinition,
  workspace: string,
) {
  const taskQueue = policy.config.workspaces.get(workspace)?.taskQueue ?? ctx.taskQueue
  const policyDigest = policy.digest
  return { policyDigest, policy, current: worker, taskQueue, workspace, worker, fork: null }
}

/**
 * Records a root run: its signed statement, its first message, the event, the request of its start,
 * and the start of its workflow. Judges once more who starts it, which the caller has judged, and
 * that somebody can decide its requests. If the mode denies the start, the run is recorded and
 * ended. Rejects as {@link requireMayStart} and {@link assertReachableBy} do.
 */
export async function recordRun(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  start: RunToRecord,
): Promise<StartedRun> {
  const { tx } = unit
  const { policyDigest, worker, starter, mode, fork } = start
  const id = start.id ?? newId()
  // The people are read after the lock: an activation that this waits for may change the teams.
  const [, deciders] = await together([
    requireMayStart(ctx, unit, caller, start),
    readDeciders(tx, start.policy, start.current),
  ])
  assertReachableBy(start.policy, start.current, deciders, start.principals)
  const { verdict, judgement } = judgedStart(start)
  const startRequestId = verdict === 'asks' ? newId() : null
  const statement = statementOfStart(id, startRequestId, start)
  const run = await insertRun(tx, {
    id,
    parent: null,
    worker,
    policyDigest,
    mode,
    input: start.input,
    inputDigest: statement.inputDigest,
    startedBy: starter?.id ?? null,
    startedFrom: start.startedFrom ?? null,
    apiKeyId: caller.actor.type === 'machine' ? caller.actor.id : null,
    taskQueue: start.taskQueue,
    workspace: start.workspace,
    worktree: start.worktree,
    signed: signStatement(ctx.signer, 'run', statement),
    text: start.text,
    attachments: start.attachments,
    files: start.files ?? [],
    author: start.author ?? caller.actor,
    restForMs: start.isConversation ? worker.restForMs : null,
    budget: start.budget,
    fork,
    startRequestId,
    behind: fork?.behind ?? start.behind ?? [],
  })
  unit.setReadAt(run.created_at)
  await unit.audit(startedEntry(start, statement, run.worktree))
  await unit.event('run.changed', { runId: id })
  if (verdict === 'denied') await endUnstarted(unit, { id }, deniedByMode)
  else await unit.enqueue({ kind: 'start_run', runId: id, payload: {} })
  if (startRequestId !== null) {
    await askToStart(unit, caller, run, startRequestId, {
      ...start,
      files: start.files ?? [],
      judgement,
      forkedFrom: fork,
    })
  }
  return {
    id,
    number: Number(run.number),
    workflowId: workflowIdOf(id),
    worker: worker.name,
    state: stateAfter[verdict],
    mode,
    conversation: start.isConversation,
    startedBy: starter,
    ...(fork === null
      ? {}
      : { forkedFrom: { runId: fork.runId, number: fork.number, turn: fork.afterTurn } }),
    workspace: workspaceOfRun(start.workspace, run.worktree),
    createdAt: run.created_at.toISOString(),
  }
}

/** What is signed of a run that begins. */
function statementOfStart(
  id: string,
  startRequestId: string | null,
  start: RunToRecord,
): RunStatement {
  const { worker, fork } = start
  return {
    version: 1,
    runId: id,
    rootRunId: id,
    parentCallId: null,
    ...(fork === null ? {} : { forkedFrom: fork.runId }),
    ...(startRequestId === null ? {} : { startRequestId }),
    workerName: worker.name,
    workerDigest: worker.digest,
    inputDigest: hashJson(start.input),
    mode: start.mode,
    startedBy: start.starter?.id ?? null,
    ...(start.workspace === defaultWorkspace ? {} : { workspace: start.workspace }),
    ...signedWorktree(start.worktree),
  }
}

/** The event of a run that begins. */
function startedEntry(
  start: RunToRecord,
  statement: RunStatement,
  worktree: WorktreeRow | null,
): UnitEntry {
  const { policyDigest, worker, starter, mode, fork } = start
  const { runId, startRequestId } = statement
  return {
    type: 'run.started',
    runId,
    policyDigest,
    detail: {
      worker: worker.name,
      workerDigest: worker.digest,
      inputDigest: statement.inputDigest,
      mode,
      startedBy: starter?.id ?? null,
      ...(start.workspace === defaultWorkspace ? {} : { workspace: start.workspace }),
      ...worktreeDetail(worktree),
      ...(startRequestId === undefined ? {} : { startRequestId }),
      ...(start.startedFrom === undefined ? {} : { startedFrom: start.startedFrom }),
      ...(start.behind === undefined ? {} : { behind: [...start.behind] }),
      ...(start.attachments.length === 0
        ? {}
        : { attachments: start.attachments.map(({ hash }) => hash) }),
      ...(start.files === undefined || start.files.length === 0
        ? {}
        : { files: start.files.map(({ hash }) => hash) }),
      ...(fork === null
        ? {}
        : { forkedFrom: fork.runId, afterTurn: fork.afterTurn, behind: [...fork.behind] }),
    },
  }
}

const stateAfter: Readonly<Record<StartVerdict, RunState>> = {
  begins: 'running',
  asks: 'waiting_for_approval',
  denied: 'cancelled',
}

const deniedByMode = {
  code: 'start_denied',
  message:
    'This worker asks before its runs begin, and the mode strict denies what asks. Nothing of it was carried out.',
} as const
