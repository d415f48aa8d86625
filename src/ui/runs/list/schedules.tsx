import { cronWords } from '#domain/runs/cron-words.ts'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { callApi } from '../../api/call-api.ts'
import { useSchedules } from '../../api/queries.ts'
import { Time } from '../../text/time.tsx'
import { LastRun, StartRow, StartSection } from './start-row.tsx'

/** The schedules. Hidden if there are none. */
export function Schedules() {
  const schedules = useSchedules()
  const items = schedules.data?.items ?? []
  return (
    <StartSection id="schedules" title="Schedules" list={schedules}>
      {items.map((schedule) => (
        <ScheduleRow key={schedule.name} schedule={schedule} />
      ))}
    </StartSection>
  )
}

function ScheduleRow({ schedule }: { schedule: Schedule }) {
  const { name, cron, timezone, nextAt, lastRun, paused } = schedule
  const words = cronWords(cron)
  return (
    <StartRow
      start={schedule}
      list="schedules"
      change={(goesOn) =>
        callApi(goesOn ? 'resumeSchedule' : 'pauseSchedule', { params: { name } })
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
    </StartRow>
  )
}
