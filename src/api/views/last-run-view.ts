import type { StartedByName } from '#services/runs/reading/last-starts.ts'
import type { Schedule } from '../schemas/runs/schedules.ts'

/** The member `lastRun` of a schedule or trigger; no member if it has not started a run. */
export function lastRunView(lastRun: StartedByName | null): Pick<Schedule, 'lastRun'> {
  return lastRun === null ? {} : { lastRun: { ...lastRun, at: lastRun.at.toISOString() } }
}
