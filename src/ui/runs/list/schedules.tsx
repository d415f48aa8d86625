import { Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { cronWords } from '#domain/runs/cron-words.ts'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { callApi } from '../../api/call-api.ts'
import { useSchedules } from '../../api/queries.ts'
import { announce } from '../../states/announce.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import './schedules.css'

/** When runs start by themselves; nothing where there are no schedules. */
export function Schedules() {
  const schedules = useSchedules()
  const items = schedules.data?.items ?? []
  if (items.length === 0) return null
  return (
    <section className="schedules" aria-labelledby="schedules-title">
      <h2 id="schedules-title">Schedules</h2>
      <ul className="schedule-list">
        {items.map((schedule) => (
          <ScheduleRow key={schedule.name} schedule={schedule} />
        ))}
      </ul>
    </section>
  )
}

function ScheduleRow({ schedule }: { schedule: Schedule }) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const { name, worker, cron, timezone, as, paused, nextAt, lastRun } = schedule
  const words = cronWords(cron)
  const change = async (goesOn: boolean): Promise<void> => {
    // Disabled, the switch would lose the focus.
    if (busy) return
    setBusy(true)
    setRefusal(null)
    try {
      const operation = goesOn ? 'resumeSchedule' : 'pauseSchedule'
      await callApi(operation, { params: { name } })
      await client.invalidateQueries({ queryKey: ['schedules'] })
      announce(goesOn ? `${name} starts runs again` : `${name} is paused`)
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <li className="schedule-row">
      <div className="grow">
        <strong>
          <VisibleText text={name} />
        </strong>{' '}
        <span className="dim small">
          {worker} as {as?.name ?? 'nobody'}
        </span>
        <div className="schedule-times">
          {words !== null && <span>{words} </span>}
          <span>{timezone}</span> <code className="dim">{cron}</code>
        </div>
        <div className="dim small">
          {nextAt === null ? 'Starts nothing: it is paused' : 'Next '}
          {nextAt !== null && <Time at={nextAt} />}
          {lastRun !== undefined && (
            <>
              {' · '}last <Link to={`/runs/${lastRun.runId}`}>#{lastRun.number}</Link>{' '}
              {lastRun.state.replaceAll('_', ' ')} <Time at={lastRun.at} />
            </>
          )}
        </div>
        {refusal !== null && (
          <p role="alert" className="small">
            {refusal}
          </p>
        )}
      </div>
      <span title={schedule.mayManage ? undefined : switchedBy(schedule)}>
        <Switch
          aria-label={`${name} starts runs`}
          checked={!paused}
          disabled={!schedule.mayManage}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
      </span>
    </li>
  )
}

/** Who may switch a schedule, for everybody else. */
function switchedBy({ as }: Schedule): string {
  const manager = 'somebody with the right manageRuns'
  return `Switched by ${as === null ? manager : `${as.name} or ${manager}`}`
}
