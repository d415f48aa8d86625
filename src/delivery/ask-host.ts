import { newId } from '#domain/new-id.ts'
import { isGrpcServiceError, WorkflowFailedError } from '@temporalio/client'
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import { nothingChanged, Problem } from '#domain/problem.ts'
import { Shares } from '#domain/sharing/shares.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import { putMessage, readMessage } from '#store/content/sealed-message.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { PolicyReader, SigningContext } from '#services/core/context.ts'
import { currentRequest } from '#services/core/current-request.ts'
import type {
  AttachmentsAnswer,
  HostQuery,
  WorkerTool,
  RemoteJudgement,
  ReplayAnswer,
  ServedTools,
  ServerDefinitions,
  WorktreeBaseAnswer,
} from '#services/core/host-queries.ts'
import type { ToolFileProblem } from '#tools/custom/tool-protocol.ts'
import { releaseContent } from '#store/content/drop-content.ts'
import type { Db } from '#store/database.ts'
import type { JudgeAnswer, JudgeInput } from '#workflows/activity-port.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import type { Policy } from '#policy/policy.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import type { TemporalClient } from './temporal-client.ts'

const answerWithinMs = 10_000

/**
 * Queries that only the host of a workspace can answer, in the form of the context, the tool
 * definitions of its MCP servers, and what of the tool files in force does not load there.
 */
export interface HostAnswers {
  readonly contextMethods: Pick<
    SigningContext,
    | 'judgeRemotely'
    | 'manualToolsOf'
    | 'toolsOf'
    | 'servedTools'
    | 'readAttachments'
    | 'replayRemotely'
    | 'worktreeBase'
    | 'removeWorktree'
  >
  readonly definitionsOf: (worker: string) => Promise<readonly ServerDefinitions[]>
  readonly toolProblems: () => Promise<readonly ToolFileProblem[]>
}

interface HostContext {
  readonly db: Db
  readonly seals: Pick<Seals, 'ofMessage' | 'holdsMessage'>
  readonly temporal: TemporalClient
  readonly policies: PolicyReader
  /** used when the policy names none for its workspace */
  readonly taskQueue: string
  /** Records an answer that no Temporal worker of this installation gave. */
  readonly onForgedAnswer: () => Promise<void>
}

/**
 * Sends a query to the host of the workspace, which the policy in force names. Query and answer are
 * stored in `content` and released afterwards, so that Temporal sees only two hashes. Each method
 * rejects with `workspace_unreachable` when no Temporal worker answers in 10 s.
 */
export function askHost(asking: HostContext): HostAnswers {
  const answerTo = async <Answer>(question: HostQuery): Promise<Answer> =>
    (await answerOf(asking, question)) as Answer
  return {
    contextMethods: {
      judgeRemotely: answerTo<RemoteJudgement>,
      manualToolsOf: (worker) => answerTo<readonly WorkerTool[]>({ manualToolsOf: worker }),
      toolsOf: (worker) => answerTo<readonly WorkerTool[]>({ toolsOf: worker }),
      servedTools: (server) => answerTo<ServedTools>({ toolsServedBy: server }),
      readAttachments: answerTo<AttachmentsAnswer>,
      replayRemotely: answerTo<ReplayAnswer>,
      worktreeBase: (workspace) =>
        answerTo<WorktreeBaseAnswer>({ worktreeBaseIn: 'workspace', workspace }),
      removeWorktree: (runId) =>
        answerTo<{ readonly removed: boolean }>({ removeWorktree: 'now', runId }),
    },
    definitionsOf: (worker) => answerTo<readonly ServerDefinitions[]>({ definitionsOf: worker }),
    toolProblems: () => answerTo<readonly ToolFileProblem[]>({ toolProblems: 'in force' }),
  }
}

/** Limits the concurrent queries, of all and of one caller: a host can answer few at a time. */
const questions = new Shares({
  slots: 32,
  maxPerCaller: 8,
  maxWaiting: 200,
  waitMs: answerWithinMs,
})

async function answerOf(asking: HostContext, question: HostQuery): Promise<unknown> {
  const release = await questions.take(currentRequest.getStore()?.caller)
  try {
    return await askNow(asking, question)
  } finally {
    release()
  }
}

async function askNow(asking: HostContext, question: HostQuery): Promise<unknown> {
  const input: JudgeInput = {
    questionHash: await putMessage(asking, question, null),
    taskQueue: await queueOf(asking, question),
  }
  const passed = [input.questionHash]
  try {
    const { answerHash } = { ...(await ask(asking.temporal, input)) }
    const answer = await answerAt(asking, answerHash, input.questionHash)
    if (answer === null) {
      await asking.onForgedAnswer()
      throw new Problem('workspace_unreachable', forgedAnswer, nothingChanged)
    }
    // Only an answer to this question is released: a stranger could name any other content.
    passed.push(answer.hash)
    return answer.message
  } finally {
    // No row refers to them, so the next round of retention removes their bytes.
    await asking.db.transaction().execute((tx) => releaseContent(tx, passed))
  }
}

/** The answer under a hash that Temporal returned; `null` when it is not one to this question. */
async function answerAt(asking: HostContext, hash: unknown, questionHash: string) {
  if (typeof hash !== 'string') return null
  const isStored = (await getRemainingTexts(asking.db, [hash])).has(hash)
  const read = isStored ? await readMessage(asking, hash, questionHash) : null
  return read === null ? null : { hash, message: read.message }
}

/** The task queue of the host for a query: of its run, or of its workspace. */
async function queueOf(asking: HostContext, question: HostQuery): Promise<string> {
  if ('runId' in question && question.runId !== undefined) {
    const run = await asking.db
      .selectFrom('run')
      .select('task_queue')
      .where('id', '=', question.runId)
      .executeTakeFirst()
    if (run !== undefined) return run.task_queue
  }
  const policy = await asking.policies.inForce()
  const name = workspaceOf(policy, question)
  return policy.config.workspaces.get(name)?.taskQueue ?? asking.taskQueue
}

function workspaceOf({ workers }: Policy, question: HostQuery): string {
  if ('workspace' in question) return question.workspace
  const isProgram = 'byProgram' in question && question.byProgram
  const named = 'worker' in question && !isProgram ? workers.get(question.worker) : undefined
  return named === undefined ? defaultWorkspace : workspacesOf(named)[0]
}

async function ask(temporal: TemporalClient, input: JudgeInput): Promise<JudgeAnswer> {
  try {
    return await temporal.withDeadline(async () => {
      const handle = await temporal.client.workflow.start('judge', {
        workflowId: `judge:${newId()}`,
        taskQueue: input.taskQueue,
        args: [input],
        workflowExecutionTimeout: answerWithinMs,
      })
      return (await handle.result()) as JudgeAnswer
    }, answerWithinMs)
  } catch (error) {
    if (isGrpcServiceError(error) && unavailable.has(error.code)) {
      throw new Problem('workspace_unreachable', temporalAway, temporalFacts, { cause: error })
    }
    const cause = error instanceof WorkflowFailedError ? error.cause : error
    throw new Problem('workspace_unreachable', sentenceOf(cause), nothingChanged, { cause })
  }
}

const forgedAnswer =
  'The answer is not from a Temporal worker of this installation, or of one with another seal key; nothing was changed. See who else takes tasks of its task queue.'

/** gRPC's code of a server that cannot be reached. */
const unavailable: ReadonlySet<number> = new Set([14])
const temporalAway =
  'Temporal does not answer, and nothing was changed: try again in a moment. It goes on by itself when Temporal is back.'
const temporalFacts = { cause: 'temporal_away', retryAfterSeconds: 5, ...nothingChanged }

/** A worker that answered with an error is reachable: refer people to its log. */
function sentenceOf(cause: unknown): string {
  return cause instanceof ActivityFailure && cause.cause instanceof ApplicationFailure
    ? 'The Temporal worker of the workspace could not judge this call; nothing was changed. Its log says why.'
    : 'No Temporal worker of the workspace answered in 10 seconds; nothing was changed. Start one, or try again.'
}
