import type { ManualToolsQuestion, RemoteQuestion } from '../services/context.ts'
import { manualToolsHere } from '../services/manual-calls/list-manual-tools.ts'
import { judgeCall } from '../services/turns/judge-call.ts'
import type { WorkerContext } from '../services/worker-context.ts'
import { getText, putContent } from '../store/content.ts'
import type { Activities } from '../workflows/activity-port.ts'

/** Answers the API's question about a call, or a worker's manual tools, on the host that has the workspace. */
export function judgeCallActivity(ctx: WorkerContext): Activities['judgeCall'] {
  return async (input) => {
    const question = JSON.parse(await getText(ctx.db, input.questionHash)) as
      | RemoteQuestion
      | ManualToolsQuestion
    const answer =
      'manualToolsOf' in question
        ? await manualToolsHere(ctx, question.manualToolsOf)
        : await judgeCall(ctx, question, input.taskQueue)
    return { answerHash: await putContent(ctx.db, JSON.stringify(answer)) }
  }
}
