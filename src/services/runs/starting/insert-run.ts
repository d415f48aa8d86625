import { sql, type RawBuilder, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { Actor } from '#domain/actor.ts'
import { taskText } from '#domain/text/task-text.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import type { Json } from '#domain/json/json.ts'
import type { SignedStatement } from '#domain/statements/statement.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { worktreeBranch, type WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { contentsToStore, packContents } from '#store/content/content.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { copyWindowSteps } from '../../transcript/window-steps.ts'
import type { RunAttachment } from '../../core/attached-files.ts'
import type { WorktreeStart } from './worktree-start.ts'
import { writeMessageText } from '../../transcript/messages.ts'
import { storeMessageFiles, type MessageFileToStore } from '../../transcript/sent-files.ts'

/**
 * A run as it begins. `signed`: its signature; `null` for a delegated one, which the API process
 * signs later.
 */
export interface NewRun {
  readonly id: string
  readonly parent: {
    readonly runId: string
    readonly rootRunId: string
    readonly callId: string
  } | null
  readonly worker: WorkerDefinition
  readonly policyDigest: string
  readonly mode: RunMode
  readonly input: Json
  /** hash of the input's canonical JSON */
  readonly inputDigest: string
  readonly startedBy: string | null
  /** the trigger or schedule that starts it; `null`: a caller does */
  readonly startedFrom: string | null
  readonly apiKeyId: string | null
  readonly taskQueue: string
  /** name of the workspace that it works in */
  readonly workspace: string
  /** its worktree, whose branch has the run's number, or its parent's; `null`: none */
  readonly worktree: WorktreeStart | WorktreeOfRun | null
  readonly signed: SignedStatement | null
  /** the first message of the model, and its author */
  readonly text: string
  readonly attachments: readonly RunAttachment[]
  readonly files: readonly MessageFileToStore[]
  readonly author: Actor
  /** how long it rests after each answer; `null`: it is not a conversation */
  readonly restForMs: number | null
  readonly budget: RunBudget | null
  readonly fork: Fork | null
  /** a request that must be approved before it begins */
  readonly startRequestId: string | null
  /** who is behind it besides its starter and the authors of its messages */
  readonly behind: readonly string[]
}

/** What a fork takes over from the other run. */
export interface Fork {
  readonly runId: string
  readonly number: number
  /** the last turn of the prefix; 0: none */
  readonly afterTurn: number
  /** the runs that took these turns, in order */
  readonly prefix: readonly {
    readonly fromRunId: string
    readonly firstTurn: number
    readonly lastTurn: number
  }[]
  /** the sequence number at which its own messages begin */
  readonly sequence: number
  /** everybody who is behind the other run now */
  readonly behind: readonly string[]
}

export function workflowIdOf(runId: string): string {
  return `agent-run:${runId}`
}

/**
 * Writes a run with its input, its lineage, its first message and the version of its worker, in one
 * query. A worktree, files, people behind it and a fork take more.
 */
export async function insertRun(tx: Tx, run: NewRun): Promise<Selectable<RunTable>> {
  const { id, parent } = run
  const messageId = newId()
  const contents = packContents([canonicalJson(run.input), writeMessageText(run.text)])
  const { rows } = await sql<Selectable<RunTable>>`
    with version as (${versionToInsert(tx, run.worker)}),
      lineage as (${lineageToInsert(id, parent?.runId ?? null)}),
      first_message as (${messageToInsert(tx, run, messageId, contents.hashes[1] ?? '')}),
      ${contentsToStore([contents])}
    ${rowToInsert(tx, run)}
  `.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error(`Run ${id} was not written`)
  const worktree = await writeWorktree(tx, row, run.worktree)
  await storeMessageFiles(tx, messageId, run.files)
  await insertPrincipals(tx, id, run.behind)
  if (run.fork !== null) {
    await insertFork(tx, id, run.fork)
    await copyWindowSteps(tx, run.fork, id)
  }
  return { ...row, worktree }
}

function versionToInsert(tx: Tx, worker: WorkerDefinition) {
  return tx
    .insertInto('worker_version')
    .values({
      digest: worker.digest,
      name: worker.name,
      definition: worker.text,
      script: worker.script,
    })
    .onConflict((conflict) => conflict.doNothing())
}

function rowToInsert(tx: Tx, run: NewRun) {
  const { id, worker, parent } = run
  return tx
    .insertInto('run')
    .values({
      id,
      root_run_id: parent?.rootRunId ?? id,
      parent_run_id: parent?.runId ?? null,
      parent_call_id: parent?.callId ?? null,
      worker: worker.name,
      worker_digest: worker.digest,
      policy_digest: run.policyDigest,
      mode: run.mode,
      input_digest: run.inputDigest,
      title: titleOf(run.fork === null || run.fork.afterTurn === 0 ? run.input : run.text),
      attachments: run.attachments.length === 0 ? null : toJsonb(run.attachments),
      started_by: run.startedBy,
      started_from: run.startedFrom,
      api_key_id: run.apiKeyId,
      workflow_id: workflowIdOf(id),
      task_queue: run.taskQueue,
      workspace: run.workspace,
      budget: run.budget === null ? null : toJsonb(run.budget),
      turn: run.fork?.afterTurn ?? 0,
      forked_from: run.fork?.runId ?? null,
      forked_after_turn: run.fork?.afterTurn ?? null,
      start_request_id: run.startRequestId,
      rest_for_seconds: run.restForMs === null ? null : Math.ceil(run.restForMs / 1000),
      epoch: sql<number>`(select epoch from installation)`,
      created_at: sql<Date>`clock_timestamp()`,
      signature: run.signed?.signature ?? '',
      key_id: run.signed?.keyId ?? '',
    })
    .returningAll()
}

/** The runs above, from the root down, and the run itself. */
function lineageToInsert(id: string, parentId: string | null): RawBuilder<unknown> {
  const above = sql`from run_lineage where run_id = ${parentId}::uuid`
  return sql`
    insert into run_lineage (run_id, ancestor_id, depth)
    select ${id}::uuid, ancestor_id, depth ${above}
    union all
    select ${id}::uuid, ${id}::uuid, (select count(*) ${above})
  `
}

function messageToInsert(
  tx: Tx,
  { id, fork, author }: NewRun,
  messageId: string,
  contentHash: string,
) {
  return tx.insertInto('message').values({
    id: messageId,
    run_id: id,
    sequence: fork?.sequence ?? 1,
    role: 'user',
    author: toJsonb(author),
    content_hash: contentHash,
  })
}

/** Its branch has the number of the run, which only the row has. */
async function writeWorktree(
  tx: Tx,
  { id, number, worker }: Selectable<RunTable>,
  start: WorktreeStart | WorktreeOfRun | null,
): Promise<WorktreeOfRun | null> {
  if (start === null) return null
  const branch =
    'branch' in start ? start.branch : worktreeBranch({ number: Number(number), worker })
  const worktree = { branch, base: start.base, baseCommit: start.baseCommit }
  await tx
    .updateTable('run')
    .set({ worktree: toJsonb(worktree) })
    .where('id', '=', id)
    .execute()
  return worktree
}

async function insertFork(tx: Tx, id: string, { prefix }: Fork): Promise<void> {
  if (prefix.length > 0) {
    const rows = prefix.map(({ fromRunId, firstTurn, lastTurn }) => ({
      run_id: id,
      from_run_id: fromRunId,
      first_turn: firstTurn,
      last_turn: lastTurn,
    }))
    await tx.insertInto('run_prefix').values(rows).execute()
  }
}

async function insertPrincipals(tx: Tx, id: string, behind: readonly string[]): Promise<void> {
  if (behind.length === 0) return
  const principals = behind.map((personId) => ({ run_id: id, person_id: personId }))
  await tx.insertInto('run_principal').values(principals).execute()
}

/** The most characters of a run's title. */
const titleCharacters = 200

/**
 * The first line of a run's task for lists, or the fields of its input in one line: without control
 * characters, cut to 200 characters.
 */
function titleOf(input: Json): string {
  const text = taskText(input)
  const task = typeof input === 'string' ? text : text.replaceAll('\n', ', ')
  const line = task.trim().split(/[\r\n]/, 1)[0] ?? ''
  const characters = Array.from(line.toWellFormed().replaceAll(/\p{Cc}/gu, ' '))
  if (characters.length <= titleCharacters) return characters.join('')
  return `${characters.slice(0, titleCharacters - 1).join('')}…`
}
