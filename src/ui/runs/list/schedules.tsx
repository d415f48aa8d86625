import { countWords } from '#domain/text/quantities/count-words.ts'
import { cronWords } from '#domain/runs/cron-words.ts'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { callApi } from '../../api/call-api.ts'
import { useSchedules } from '../../api/queries.ts'
import { Moment, Time } from '../../text/time.tsx'
import { LastRun, StartRow, StartSection } from './start-row.tsx'

/** The schedules. Hidden if there are none. */
export function Schedules() {
  const schedules = useSchedules()
  return <StartSection id="schedules" title="Schedules" list={schedules} row={ScheduleRow} />
}

function ScheduleRow({ start }: { start: Schedule }) {
  const { name, cron, timezone, nextAt, lastRun, missed, paused } = start
  const words = cronWords(cron)
  return (
    <StartRow
      start={start}
      list="schedules"
      change={(isResumed) =>
        callApi(isResumed ? 'resumeSchedule' : 'pauseSchedule', { params: { name } })
      }
      trigger={(idempotencyKey) => callApi('triggerSchedule', { params: { name }, idempotencyKey })}
    >
      <div className="start-means">
        {words !== null && <span>{words} </span>}
        <span>{timezone}</span> <code className="dim">{cron}</code>
      </div>
      <div className="dim small">
        {nextAt !== null && 'Next '}
        {nextAt === null &&
          (paused ? 'Starts nothing: it is paused' : 'None of its times will come')}
        {nextAt !== null && <Time at={nextAt} />}
        {lastRun !== undefined && (
          <>
            {' · '}last <LastRun run={lastRun} />
          </>
        )}
      </div>
      {missed !== undefined && <MissedTimes missed={missed} />}
    </StartRow>
  )
}

/** How many times were missed while the service was away, and which. */
function MissedTimes({ missed: { count, times } }: { missed: NonNullable<Schedule['missed']> }) {
  return (
    <details className="start-missed small">
      <summary>{countWords(count, 'time')} missed in the last 7 days</summary>
      <p className="dim">
        Nothing could start a run at these times, and nothing makes up for them:
      </p>
      <ul>
        {times.map((at) => (
          <li key={at}>
            <Moment at={at} />
          </li>
        ))}
        {count > times.length && <li className="dim">and {count - times.length} earlier</li>}
      </ul>
    </details>
  )
}
