import { ApplicationFailure } from '@temporalio/common'
import { putMessage, readMessage } from '#store/content/sealed-message.ts'
import type { HostQuery } from '#services/core/host-queries.ts'
import { definitionsHere } from '#services/policy/pins/definitions-here.ts'
import { servedToolsHere } from '#services/gateway/served-tools-here.ts'
import { manualToolsHere, toolsHere } from '#services/engine/manual-calls/list-manual-tools.ts'
import { replayCalls } from '#services/replay/replay-calls.ts'
import { recordForgedMessage } from '#services/refusals/record-forged-message.ts'
import { attachmentsHere } from '#services/runs/starting/attachments-here.ts'
import { worktreeBaseHere } from '#services/runs/starting/worktree-base-here.ts'
import { removeWorktreeHere } from '#services/retention/remove-worktrees.ts'
import { judgeCall } from '#services/engine/judging/judge-call.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { Activities } from '#workflows/activity-port.ts'

/**
 * Answers the API's questions about calls, a worker's tools, tool files, MCP servers, files and the
 * base of worktrees, on the host of the workspace.
 */
export function judgeCallActivity(ctx: WorkerContext): Activities['judgeCall'] {
  return async (input) => {
    const question = await readMessage(ctx, input.questionHash, null)
    if (question === null) {
      await recordForgedMessage(ctx, 'question')
      throw ApplicationFailure.nonRetryable(
        'This question does not come from an API process of this installation',
      )
    }
    const answer = await answerTo(ctx, question.message as HostQuery, input.taskQueue)
    return { answerHash: await putMessage(ctx, answer, input.questionHash) }
  }
}

async function answerTo(
  ctx: WorkerContext,
  question: HostQuery,
  taskQueue: string,
): Promise<unknown> {
  if ('manualToolsOf' in question) return manualToolsHere(ctx, question.manualToolsOf)
  if ('toolsOf' in question) return toolsHere(ctx, question.toolsOf)
  if ('toolsServedBy' in question) return servedToolsHere(ctx, question.toolsServedBy)
  if ('definitionsOf' in question) return definitionsHere(ctx, question.definitionsOf)
  if ('toolProblems' in question) {
    return (await ctx.toolProblems?.(await ctx.policies.inForce())) ?? []
  }
  if ('attachmentsFor' in question) return attachmentsHere(ctx, question, taskQueue)
  if ('worktreeBaseIn' in question) {
    return worktreeBaseHere(ctx, question.workspace, taskQueue)
  }
  if ('removeWorktree' in question) return removeWorktreeHere(ctx, question.runId)
  if ('replayUnder' in question) return replayCalls(ctx, question)
  return judgeCall(ctx, question, taskQueue)
}
