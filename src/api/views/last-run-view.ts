import type { StartedByName } from '#services/runs/reading/last-starts.ts'
import type { Schedule } from '../schemas/runs/schedules.ts'

/** The last run of a schedule or trigger as a member of its view; none while there is none. */
export function lastRunView(lastRun: StartedByName | null): Pick<Schedule, 'lastRun'> {
  return lastRun === null ? {} : { lastRun: { ...lastRun, at: lastRun.at.toISOString() } }
}
