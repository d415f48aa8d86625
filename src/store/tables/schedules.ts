import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** A time of a schedule that Temporal reported, or that was missed. */
export interface ScheduleTimeTable {
  schedule: string
  at: Timestamp
  noted_at: GeneratedTimestamp
  /** `started`, or why it started nothing; `null`: its run has yet to start */
  outcome: string | null
  run_id: string | null
}

/** The time up to which the times of a schedule were compared with those that Temporal reported. */
export interface ScheduleWatchTable {
  schedule: string
  cron: string
  timezone: string
  paused: boolean
  through: Timestamp
}

/** A schedule that starts nothing until somebody resumes it. */
export interface SchedulePauseTable {
  schedule: string
  by_id: string
  at: GeneratedTimestamp
}

/** A trigger that refuses messages until somebody resumes it. */
export interface TriggerPauseTable {
  trigger: string
  by_id: string
  at: GeneratedTimestamp
}

/** The monthly budget of a worker (`*`: of all workers), from the version in force. */
export interface MonthlyBudgetTable {
  worker: string
  cost_usd: number
}
