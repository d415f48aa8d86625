import { Button, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Run } from '#api/schemas/runs/runs.ts'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'
import { announce } from '../../states/announce.tsx'
import { useAttempt } from '../../states/use-attempt.ts'
import { Failure } from '../../states/failure.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { verbs } from '../../words/verbs.ts'
import './starts.css'

type StartedRun = Pick<Run, 'id' | 'number'>

/** A section with schedules or triggers. Hidden if it is empty, unless they could not be loaded. */
export function StartSection<T extends { readonly name: string }>(section: {
  id: string
  title: string
  list: {
    data: { items: readonly T[] } | undefined
    error: Error | null
    refetch: () => Promise<unknown>
  }
  row: (props: { start: T }) => ReactNode
}) {
  const { id, title, list, row: Row } = section
  const items = list.data?.items ?? []
  const isFailed = list.data === undefined && list.error !== null
  if (items.length === 0 && !isFailed) return null
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {isFailed ? (
        <Failure query={list} />
      ) : (
        <ul className="start-list">
          {items.map((start) => (
            <Row key={start.name} start={start} />
          ))}
        </ul>
      )}
    </section>
  )
}

interface StartOfRuns {
  readonly start: Pick<Schedule, 'name' | 'worker' | 'as' | 'paused' | 'mayManage'>
  /** the query key of its list */
  readonly list: 'schedules' | 'triggers'
  readonly change: (isResumed: boolean) => Promise<unknown>
  /** starts a run now, for who may manage it */
  readonly trigger?: (idempotencyKey: string) => Promise<StartedRun>
}

/** A schedule or trigger with a switch, by which people with the right pause and resume it. */
export function StartRow(row: StartOfRuns & { children: ReactNode }) {
  const { name, worker, as, paused, mayManage } = row.start
  const { trigger } = row
  const { change, startNow, refusal, newRun } = useStartActs(row)
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
        {newRun !== null && (
          <p className="small">
            Started <Link to={`/runs/${newRun.id}`}>run #{newRun.number}</Link>.
          </p>
        )}
        {refusal !== null && (
          <p role="alert" className="small">
            {refusal}
          </p>
        )}
      </div>
      <div className="start-acts">
        <span title={mayManage ? undefined : switchedBy(as)}>
          <Switch
            aria-label={`${name} starts runs`}
            checked={!paused}
            disabled={!mayManage}
            onChange={(event) => void change(event.currentTarget.checked)}
          />
        </span>
        {trigger !== undefined && mayManage && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${verbs.startNow}: ${name}`}
            onClick={() => void startNow(trigger)}
          >
            {verbs.startNow}
          </Button>
        )}
      </div>
    </li>
  )
}

/** The actions of people on a schedule or trigger, one at a time. */
function useStartActs({ start: { name }, list, change }: StartOfRuns) {
  const client = useQueryClient()
  const intent = useIntentKey()
  // The control is not disabled meanwhile, because it would lose the focus.
  const { attempt, refusal } = useAttempt()
  const [newRun, setNewRun] = useState<StartedRun | null>(null)
  const act = (work: () => Promise<string>): Promise<boolean> =>
    attempt(async () => {
      announce(await work())
      await client.invalidateQueries({ queryKey: [list] })
    })
  return {
    refusal,
    newRun,
    change: (isResumed: boolean) =>
      act(async () => {
        await change(isResumed)
        return isResumed ? `${name} starts runs again` : `${name} is paused`
      }),
    startNow: (startRun: NonNullable<StartOfRuns['trigger']>) =>
      act(async () => {
        const run = await startRun(intent.of(name))
        intent.renew()
        setNewRun(run)
        return `Run ${run.number} started`
      }),
  }
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
