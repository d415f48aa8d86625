import { ApplicationFailure } from '@temporalio/workflow'
import type { JudgeAnswer, JudgeInput } from './activity-port.ts'
import { judgingActivities } from './activity-proxies.ts'
import { idOf, queueOf } from './untrusted.ts'

/** Carries one question to the host of the workspace and returns its answer. */
export async function judge(input: JudgeInput): Promise<JudgeAnswer> {
  const [taskQueue, questionHash] = [queueOf(input?.taskQueue), idOf(input?.questionHash)]
  if (taskQueue === null || questionHash === null) {
    throw ApplicationFailure.nonRetryable('this is no question')
  }
  return judgingActivities(taskQueue).judgeCall({ taskQueue, questionHash })
}
