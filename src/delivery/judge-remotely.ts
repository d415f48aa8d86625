import { v7 as uuidv7 } from 'uuid'
import { WorkflowFailedError } from '@temporalio/client'
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import { Problem } from '../domain/problem.ts'
import type { ManualTool, RemoteJudgement, RemoteQuestion } from '../services/context.ts'
import { newSalt } from '../services/decisions/salted-text.ts'
import type { HostQuestion } from '../services/host-question.ts'
import type { HeardServer } from '../services/policy/pins/heard-server.ts'
import type {
  AttachmentsAnswer,
  AttachmentsQuestion,
} from '../services/runs/attachments/attachments-question.ts'
import type { ReplayAnswer, ReplayQuestion } from '../services/policy/replay/replay-question.ts'
import { getText, putContent } from '../store/content/content.ts'
import { releaseContent } from '../store/content/drop-content.ts'
import type { Db } from '../store/database.ts'
import type { JudgeAnswer, JudgeInput } from '../workflows/activity-port.ts'
import type { TemporalClient } from './temporal-client.ts'

const answerWithinMs = 10_000

/**
 * Asks the host that has the workspace what policy says of a call. Question and answer travel through `content`, and do
 * not stay there; Temporal sees two hashes. Rejects with `workspace_unreachable` when no Temporal worker answers in 10 s.
 */
export async function judgeRemotely(
  asking: Asking,
  question: RemoteQuestion,
): Promise<RemoteJudgement> {
  return (await answerTo(asking, question)) as RemoteJudgement
}

/** Asks the same host which tools of a worker only people may invoke. Rejects alike. */
export async function manualToolsRemotely(
  asking: Asking,
  worker: string,
): Promise<readonly ManualTool[]> {
  return (await answerTo(asking, { manualToolsOf: worker })) as readonly ManualTool[]
}

/** Has the same host judge past calls again. Rejects alike. */
export async function replayRemotely(
  asking: Asking,
  question: ReplayQuestion,
): Promise<ReplayAnswer> {
  return (await answerTo(asking, question)) as ReplayAnswer
}

/** Asks the same host what a worker's MCP servers say of their tools. Rejects alike. */
export async function definitionsRemotely(
  asking: Asking,
  worker: string,
): Promise<readonly HeardServer[]> {
  return (await answerTo(asking, { definitionsOf: worker })) as readonly HeardServer[]
}

/** Has the same host read the files that a run is to be given. Rejects alike. */
export async function attachmentsRemotely(
  asking: Asking,
  question: AttachmentsQuestion,
): Promise<AttachmentsAnswer> {
  return (await answerTo(asking, question)) as AttachmentsAnswer
}

interface Asking {
  readonly db: Db
  readonly temporal: TemporalClient
  readonly taskQueue: string
}

async function answerTo(asking: Asking, question: HostQuestion): Promise<unknown> {
  const input: JudgeInput = {
    // Salted: nobody else's question is the same content, which goes when this one is answered.
    questionHash: await putContent(asking.db, JSON.stringify({ question, salt: newSalt() })),
    taskQueue: asking.taskQueue,
  }
  const passed = [input.questionHash]
  try {
    const { answerHash } = await ask(asking, input)
    passed.push(answerHash)
    const { answer } = JSON.parse(await getText(asking.db, answerHash)) as { answer: unknown }
    return answer
  } finally {
    // No row refers to either: with the round of retention after this one their bytes are gone.
    await asking.db.transaction().execute((tx) => releaseContent(tx, passed))
  }
}

async function ask(
  asking: { readonly temporal: TemporalClient; readonly taskQueue: string },
  input: JudgeInput,
): Promise<JudgeAnswer> {
  const { client } = asking.temporal
  try {
    return await client.connection.withDeadline(Date.now() + answerWithinMs, async () => {
      const handle = await client.workflow.start('judge', {
        workflowId: `judge:${uuidv7()}`,
        taskQueue: asking.taskQueue,
        args: [input],
        workflowExecutionTimeout: answerWithinMs,
      })
      return (await handle.result()) as JudgeAnswer
    })
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : error
    throw new Problem('workspace_unreachable', sentenceOf(cause), {}, { cause })
  }
}

/** Whoever answered that it cannot is not away: its log says why. */
function sentenceOf(cause: unknown): string {
  return cause instanceof ActivityFailure && cause.cause instanceof ApplicationFailure
    ? 'The Temporal worker of the workspace could not judge this call; nothing was changed. Its log says why.'
    : 'No Temporal worker of the workspace answered in 10 seconds; nothing was changed. Start one, or try again.'
}
