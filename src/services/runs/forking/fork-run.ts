import { sql, type Selectable } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { eventDocument } from '#store/audit/event-document.ts'
import { ContentRemoved, getText } from '#store/content/content.ts'
import type { Policy } from '#policy/policy.ts'
import { pictureTypesOf } from '#models/picture-types-of.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { preambleVersionOf } from '#policy/worker/worker-digest.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { withAttached } from '../../core/attached-files.ts'
import { isAnswered, onceForKey } from '../../core/idempotency.ts'
import { lockRights, lockRun } from '../../core/locks.ts'
import { signedModeOf } from '../../core/verify-run.ts'
import { inUnitOfWork, type JudgingContext } from '../../core/unit-of-work.ts'
import { principalsOfRun } from '../../requests/people/principals-of-run.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { isTaskErased } from '../../requests/words/erased-words.ts'
import { loadTranscript } from '../../transcript/load-transcript.ts'
import {
  namedFiles,
  readSentFiles,
  type ReadSentFile,
  type SentFile,
} from '../../transcript/sent-files.ts'
import { worktreeStart } from '../starting/worktree-start.ts'
import { recordRun, type StartedRun } from '../starting/record-run.ts'
import { triggerMessage } from '../starting/start-from-trigger.ts'
import { readPersonRows } from '../starting/find-member.ts'
import { behindStart, judgeStart, requireInputFits, taskMessage } from '../starting/start-run.ts'
import { assertVisible } from '../visible-run.ts'
import { forkPoint } from './fork-point.ts'
import { invalid } from '../../core/problems/invalid.ts'

export interface ForkRunInput {
  readonly runId: string
  /** absent: the last turn whose calls all have results; 0: start again */
  readonly afterTurn?: number
  /** the first message; required unless `afterTurn` is 0 */
  readonly text?: string
  /** in place of the old one; only with `afterTurn` 0 */
  readonly input?: Json
  /** pictures and texts with the first message */
  readonly files?: readonly SentFile[]
  /** absent: `current` */
  readonly worker?: 'current' | 'pinned'
  readonly idempotencyKey?: string
}

/**
 * Starts a run that continues another's transcript from a turn (product.md 29), for callers who see
 * that run and may start its worker. Everybody behind that run is behind every request of the new
 * one, which gets none of its grants. Conversation and mode are those of the old run. Rejects as
 * `startRun` does, with `not_found` for a run that the caller may not see, and with
 * `invalid_request` for a turn from which it cannot continue.
 */
export async function forkRun(
  ctx: SigningContext,
  caller: Caller,
  input: ForkRunInput,
): Promise<StartedRun> {
  await assertVisible(ctx, caller, input.runId)
  const old = await ctx.db
    .selectFrom('run')
    .selectAll()
    .where('id', '=', input.runId)
    .executeTakeFirstOrThrow()
  const { current, worker, policyDigest, policy } = await workerOf(ctx, old, input)
  if (!workspacesOf(current).includes(old.workspace)) {
    const text = `workspace: ${current.name} no longer works in ${old.workspace}, the workspace of this run`
    throw new Problem('invalid_request', text, { field: 'workspace' })
  }
  const mode = signedModeOf(ctx.verifier, old)
  const person = await readPersonRows(ctx.db, personBehind(caller))
  const { starter, authority } = await judgeStart(ctx, caller, { person, worker: current, mode })
  const { idempotencyKey: key, files: sentFiles = [], ...rest } = input
  const sent = readSentFiles(sentFiles, pictureTypesOf(policy.config, worker.model))
  const body = sent.length === 0 ? rest : { ...rest, files: namedFiles(sent) }
  const isFirst = !(await isAnswered(ctx.db, { caller, key }))
  const worktree = isFirst ? await worktreeStart(ctx, policy, old.workspace) : null
  const judge = async ({ tx }: JudgingContext) => {
    // Before the unit locks the run: activations and retirements of keys lock in this order.
    await lockRights(tx, [...new Set([starter.id, personBehind(caller)])])
    return { authority }
  }
  return inUnitOfWork(ctx, judge, (unit) =>
    onceForKey(unit.tx, { caller, key, route: 'fork-run', body }, async () => {
      const run = await lockRun(unit.tx, input.runId)
      const point = await forkPoint(unit.tx, run, input.afterTurn)
      const ofOld = await principalsOfRun(unit.tx, run.id)
      const behind = [...new Set(ofOld.map(({ personId }) => personId))]
      const at = { run, worker, afterTurn: point.afterTurn }
      const words = await wordsOf(unit.tx, at, input, sent)
      return recordRun(ctx, unit, caller, {
        ...words,
        mode,
        policyDigest,
        policy,
        current,
        taskQueue: run.task_queue,
        workspace: run.workspace,
        worktree,
        worker,
        starter,
        principals: [
          ...behind.map((personId) => ({ personId, why: 'forked_from' as const })),
          ...behindStart(caller, personBehind(caller)),
        ],
        isConversation: run.rest_for_seconds !== null,
        budget: null,
        fork: { runId: run.id, number: Number(run.number), ...point, behind },
      })
    }),
  )
}

interface ForkWorker {
  /** by the policy in force: who may start it, and where its requests go */
  readonly current: WorkerDefinition
  readonly policy: Policy
  /** the one that the fork pins, with its version of the policy */
  readonly worker: WorkerDefinition
  readonly policyDigest: string
}

/** A worker that is missing from the policy in force starts no fork, not even as it was pinned. */
async function workerOf(
  ctx: SigningContext,
  old: Selectable<RunTable>,
  input: ForkRunInput,
): Promise<ForkWorker> {
  const policy = await ctx.policies.inForce()
  const current = policy.workers.get(old.worker)
  if (current === undefined) {
    throw new Problem('unknown_worker', `The worker ${old.worker} no longer exists`)
  }
  if (input.worker !== 'pinned') {
    return { current, policy, worker: current, policyDigest: policy.digest }
  }
  const pinned = (await ctx.policies.byDigest(old.policy_digest)).workers.get(old.worker)
  if (pinned === undefined || preambleVersionOf(pinned, old.worker_digest) === null) {
    const text =
      'worker: the version that this run was started with is no longer available; use "current"'
    throw new Problem('invalid_request', text, { field: 'worker' })
  }
  return { current, policy, worker: pinned, policyDigest: old.policy_digest }
}

type Words = Pick<
  Parameters<typeof recordRun>[3],
  'input' | 'text' | 'attachments' | 'files' | 'startedFrom' | 'author'
>

/**
 * The task of the fork: its first message, and its input. The message of a trigger stays the
 * trigger's, and never becomes the task of the person who starts again.
 */
async function wordsOf(
  tx: Tx,
  at: {
    readonly run: Selectable<RunTable>
    readonly worker: WorkerDefinition
    readonly afterTurn: number
  },
  { text, input }: ForkRunInput,
  files: readonly ReadSentFile[],
): Promise<Words> {
  const { run, worker, afterTurn } = at
  const attachments = run.attachments ?? []
  if (afterTurn > 0) {
    if (input !== undefined) throw invalid('input', 'is replaced only with afterTurn: 0')
    if (text === undefined || text.trim() === '')
      throw invalid('text', 'is required: the first message of the fork')
    const words = withAttached(text, namedFiles(files))
    return { input: await inputOf(tx, run), text: words, attachments, files }
  }
  if (text !== undefined && input !== undefined) {
    throw invalid('text', 'and input have the same meaning with afterTurn: 0; send one of them')
  }
  const task = input ?? text
  if (task !== undefined) {
    requireInputFits(worker, task)
    const words = withAttached(taskMessage(task), namedFiles(files))
    return { input: task, text: words, attachments: [], files }
  }
  if (files.length > 0) {
    throw invalid('files', 'need a text or an input; without one the old files are sent again')
  }
  const [first] = await loadTranscript(tx, run.id)
  const oldInput = await inputOf(tx, run)
  const isCleared = await isFirstCleared(tx, first?.from ?? run.id)
  const trigger = triggerOf(first?.author ?? null)
  return {
    input: oldInput,
    text: isCleared ? repeatedTask(trigger, oldInput) : (first?.text ?? ''),
    attachments,
    files: first?.files ?? [],
    ...trigger,
  }
}

/** The first message again, from the input: that of a trigger is data, and not a task. */
function repeatedTask({ startedFrom }: Pick<Words, 'startedFrom'>, input: Json): string {
  const task = taskMessage(input)
  return startedFrom === undefined ? task : triggerMessage(startedFrom, task)
}

/**
 * Whether retention removed the first message of a run. Its input is kept, its files are not:
 * rejects with `invalid_request` if it had some, since the task would begin without them.
 */
async function isFirstCleared(tx: Tx, runId: string): Promise<boolean> {
  const { rows } = await sql<{ files: boolean }>`
    select exists (
      select from audit_event where run_id = ${runId} and type = 'run.started'
        and ${eventDocument} -> 'detail' ?| array['files', 'attachments']
    ) or exists (
      -- The event of a delegated run does not name its attachments.
      select from run where id = ${runId} and attachments is not null
    ) as files from cleared_run where run_id = ${runId}
  `.execute(tx)
  const [cleared] = rows
  if (cleared?.files === true) {
    throw invalid('text', 'is required: retention removed the first message and its files')
  }
  return cleared !== undefined
}

/** The trigger that wrote a message, as the facts of the run that repeats it. */
function triggerOf(author: Actor | null): Pick<Words, 'startedFrom' | 'author'> {
  if (author?.type !== 'system' || author.name?.startsWith('trigger:') !== true) return {}
  return { startedFrom: author.name, author }
}

async function inputOf(tx: Tx, run: Selectable<RunTable>): Promise<Json> {
  const erased = invalid('input', 'was erased: start again with afterTurn: 0 and a new input')
  if (await isTaskErased(tx, run)) throw erased
  try {
    return JSON.parse(await getText(tx, run.input_digest)) as Json
  } catch (error) {
    if (!(error instanceof ContentRemoved)) throw error
    throw erased
  }
}
