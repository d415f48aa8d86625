import { workflowInfo } from '@temporalio/workflow'
import { databaseActivities } from './activity-proxies.ts'
import { idOf } from './untrusted.ts'

/**
 * Records that a time of a schedule has come. Temporal starts this workflow. The store judges the
 * time, even if somebody started the workflow by hand.
 */
export async function scheduledTime(input: { readonly schedule: string }): Promise<void> {
  const schedule = idOf(input?.schedule)
  const [at] = workflowInfo().searchAttributes['TemporalScheduledStartTime'] ?? []
  if (schedule === null || !(at instanceof Date)) return
  await databaseActivities().noteScheduledTime({ schedule, at: at.toISOString() })
}
