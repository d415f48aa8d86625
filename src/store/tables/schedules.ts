import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** A time of a schedule that Temporal told of. */
export interface ScheduleTimeTable {
  schedule: string
  at: Timestamp
  noted_at: GeneratedTimestamp
  /** `started`, or why it started nothing; `null`: it has yet to start */
  outcome: string | null
  run_id: string | null
}

/** A schedule that starts nothing until somebody lets it go on. */
export interface SchedulePauseTable {
  schedule: string
  by_id: string
  at: GeneratedTimestamp
}

/** What the models of a worker may cost in a month (`*`: of all), as the version in force says. */
export interface MonthlyBudgetTable {
  worker: string
  cost_usd: number
}
