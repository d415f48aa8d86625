import { z } from 'zod'
import { id, instant, person, shortNumber, wholeListOf, workerName } from '../common.ts'
import * as example from '../examples.ts'
import { runState } from './runs.ts'

/** A run that a schedule or a trigger started. */
export const startedByName = z.object({
  runId: id,
  number: shortNumber,
  state: runState,
  at: instant.describe('When it was started'),
})

export const schedule = z
  .object({
    name: z.string().describe('Name of the schedule, from countersign.yaml'),
    worker: workerName,
    cron: z.string().describe('Five fields, in the time zone'),
    timezone: z.string().describe('IANA name, such as `Europe/Berlin`'),
    as: person
      .nullable()
      .describe('The person who starts its runs; null: nobody has the configured address'),
    paused: z.boolean().describe('Whether it starts no runs until it is resumed'),
    nextAt: instant.nullable().describe('The next start; null while it is paused'),
    lastRun: startedByName.optional().describe('The newest run; absent: none was started'),
    missed: z
      .object({
        count: z.int().min(1).describe('How many, also where `times` has fewer'),
        times: z.array(instant).describe('The newest first, at most 20'),
      })
      .optional()
      .describe(
        'Times of the last seven days at which no run could start, because the service was away. They are not made up for. Absent: none',
      ),
    mayManage: z.boolean().describe('Whether the caller may pause, resume and trigger it'),
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
        missed: { count: 1, times: [example.askedAt] },
        lastRun: { runId: example.runId, number: 12, state: 'completed', at: example.askedAt },
        mayManage: true,
      },
    ],
  })
export type Schedule = z.infer<typeof schedule>
export const scheduleList = wholeListOf(schedule)
export type ScheduleList = z.infer<typeof scheduleList>
