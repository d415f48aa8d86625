import { proxyActivities } from '@temporalio/workflow'

/**
 * What somebody who can reach Temporal writes by hand: any activity, on any queue, with any input.
 */
export interface Forgery {
  readonly activity: string
  readonly input: unknown
  readonly taskQueue: string
}

export async function forge({ activity, input, taskQueue }: Forgery): Promise<unknown> {
  const activities = proxyActivities<Record<string, (input: unknown) => Promise<unknown>>>({
    taskQueue,
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
  })
  return activities[activity]?.(input)
}
