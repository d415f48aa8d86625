import type { RemoteJudgement, RemoteQuestion } from '../context.ts'
import type { WorkerContext } from '../worker-context.ts'

export async function judgeCall(
  ctx: WorkerContext,
  question: RemoteQuestion,
): Promise<RemoteJudgement> {
  throw new Error(`${ctx.executor}: judging ${question.tool} is not written yet`)
}
