import type { JudgeAnswer, JudgeInput } from './activity-port.ts'
import { judgingActivities } from './activity-proxies.ts'

/** Carries one question to the host that has the workspace, and its answer back. */
export async function judge(input: JudgeInput): Promise<JudgeAnswer> {
  return judgingActivities(input.taskQueue).judgeCall(input)
}
