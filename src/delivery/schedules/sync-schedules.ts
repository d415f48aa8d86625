import {
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client'
import type { ScheduleSetting } from '#policy/project-config.ts'
import { cronTimes, longestPauseMs } from '#policy/schedules/cron.ts'
import type { TemporalClient } from '../temporal-client.ts'

/** The ids of this service's schedules; others of the namespace are left alone. */
const prefix = 'schedule:'
const minuteMs = 60_000
/** Listing and changing may take longer than a signal does. */
const withinMs = 10_000

export interface WantedSchedule {
  readonly setting: ScheduleSetting
  readonly paused: boolean
}

/** Makes Temporal's schedules those of the configuration: created, updated, deleted. */
export async function syncSchedules(
  temporal: TemporalClient,
  taskQueue: string,
  schedules: readonly WantedSchedule[],
): Promise<void> {
  const { schedule } = temporal.client
  const there = await temporal.withDeadline(() => ownIds(schedule), withinMs)
  for (const { setting, paused } of schedules) {
    const scheduleId = `${prefix}${setting.name}`
    const options = optionsOf(setting, taskQueue, paused)
    if (!there.delete(scheduleId)) {
      await temporal.withDeadline(() => schedule.create({ scheduleId, ...options }), withinMs)
      continue
    }
    const handle = schedule.getHandle(scheduleId)
    await temporal.withDeadline(() => handle.update(() => options), withinMs)
  }
  for (const id of there) {
    await temporal.withDeadline(() => deleteSchedule(schedule, id), withinMs)
  }
}

async function ownIds(schedule: Client['schedule']): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { scheduleId } of schedule.list()) {
    if (scheduleId.startsWith(prefix)) ids.add(scheduleId)
  }
  return ids
}

async function deleteSchedule(schedule: Client['schedule'], id: string): Promise<void> {
  try {
    await schedule.getHandle(id).delete()
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
}

function optionsOf(
  setting: ScheduleSetting,
  taskQueue: string,
  paused: boolean,
): Omit<ScheduleOptions, 'scheduleId'> & { readonly state: { readonly paused: boolean } } {
  const { name, cron, timezone, catchup } = setting
  // Temporal drops times that were missed for longer; the store drops all but the last.
  const missed = catchup === 'none' ? 0 : longestPauseMs(cronTimes(setting), new Date())
  return {
    spec: { cronExpressions: [cron], timezone },
    action: {
      type: 'startWorkflow',
      workflowType: 'scheduledTime',
      workflowId: `scheduled:${name}`,
      taskQueue,
      args: [{ schedule: name }],
    },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: missed + minuteMs },
    state: { paused },
  }
}
