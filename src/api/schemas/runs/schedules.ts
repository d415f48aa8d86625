import { z } from 'zod'
import { id, instant, person } from '../common.ts'
import * as example from '../examples.ts'
import { runState } from './runs.ts'

/** A run that a schedule or a trigger started. */
export const startedByName = z.object({
  runId: id,
  number: z.int(),
  state: runState,
  at: instant,
})

export const schedule = z
  .object({
    name: z.string(),
    worker: z.string(),
    /** five fields, read in the time zone */
    cron: z.string(),
    timezone: z.string(),
    /** who starts its runs; null: nobody with the address is known */
    as: person.nullable(),
    paused: z.boolean(),
    /** null while it is paused */
    nextAt: instant.nullable(),
    lastRun: startedByName.optional(),
    /** whether the caller may pause, resume and trigger it */
    mayManage: z.boolean(),
  })
  .meta({
    id: 'Schedule',
    examples: [
      {
        name: 'nightly',
        worker: example.worker,
        cron: '0 6 * * 1-5',
        timezone: 'Europe/Berlin',
        as: example.ada,
        paused: false,
        nextAt: example.expiresAt,
        lastRun: { runId: example.runId, number: 12, state: 'completed', at: example.askedAt },
        mayManage: true,
      },
    ],
  })
export type Schedule = z.infer<typeof schedule>
export const scheduleList = z.object({ items: z.array(schedule) })
export type ScheduleList = z.infer<typeof scheduleList>
