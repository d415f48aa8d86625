import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** The time up to which the times of a schedule were compared with those that Temporal reported. */
export interface ScheduleWatchTable {
  schedule: string
  cron: string
  timezone: string
  paused: boolean
  through: Timestamp
}

export interface ScheduleTables {
  /** A time of a schedule that Temporal reported, or that was missed. */
  schedule_time: {
    schedule: string
    at: Timestamp
    noted_at: GeneratedTimestamp
    /** `started`, or why it started nothing; `null`: its run has yet to start */
    outcome: string | null
    run_id: string | null
  }
  schedule_watch: ScheduleWatchTable
  /** The monthly budget of a worker (`*`: of all workers), from the version in force. */
  monthly_budget: {
    worker: string
    cost_usd: number
  }
  /** A schedule that starts nothing until somebody resumes it. */
  schedule_pause: {
    schedule: string
    by_id: string
    at: GeneratedTimestamp
  }
  /** A trigger that refuses messages until somebody resumes it. */
  trigger_pause: {
    trigger: string
    by_id: string
    at: GeneratedTimestamp
  }
}
