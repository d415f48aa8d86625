import { Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Children, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { announce } from '../../states/announce.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import './starts.css'

/** A section with schedules or triggers. Hidden if it is empty. */
export function StartSection(section: { id: string; title: string; children: ReactNode }) {
  const { id, title, children } = section
  if (Children.count(children) === 0) return null
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <ul className="start-list">{children}</ul>
    </section>
  )
}

/** A schedule or trigger with a switch, by which people with the right pause and resume it. */
export function StartRow(row: {
  start: Pick<Schedule, 'name' | 'worker' | 'as' | 'paused' | 'mayManage'>
  /** the query key of its list */
  list: 'schedules' | 'triggers'
  change: (goesOn: boolean) => Promise<unknown>
  children: ReactNode
}) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const { name, worker, as, paused, mayManage } = row.start
  const change = async (goesOn: boolean): Promise<void> => {
    // The switch is not disabled meanwhile, because it would lose the focus.
    if (busy) return
    setBusy(true)
    setRefusal(null)
    try {
      await row.change(goesOn)
      await client.invalidateQueries({ queryKey: [row.list] })
      announce(goesOn ? `${name} starts runs again` : `${name} is paused`)
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <li className="start-row">
      <div className="grow">
        <strong>
          <VisibleText text={name} />
        </strong>{' '}
        <span className="dim small">
          {worker} as {as?.name ?? 'nobody'}
        </span>
        {row.children}
        {refusal !== null && (
          <p role="alert" className="small">
            {refusal}
          </p>
        )}
      </div>
      <span title={mayManage ? undefined : switchedBy(as)}>
        <Switch
          aria-label={`${name} starts runs`}
          checked={!paused}
          disabled={!mayManage}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
      </span>
    </li>
  )
}

/** The last run that a schedule or trigger started: its number, state and time. */
export function LastRun({ run }: { run: NonNullable<Schedule['lastRun']> }) {
  return (
    <>
      <Link to={`/runs/${run.runId}`}>#{run.number}</Link> {run.state.replaceAll('_', ' ')}{' '}
      <Time at={run.at} />
    </>
  )
}

/** The people who may switch it, for everybody else. */
function switchedBy(as: Schedule['as']): string {
  const manager = 'somebody with the right manageRuns'
  return `Paused and resumed by ${as === null ? manager : `${as.name} or ${manager}`}`
}
