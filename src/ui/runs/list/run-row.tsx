import { Link } from 'react-router'
import { neededPeople } from '#domain/deciding/needed-people.ts'
import type { Run } from '#api/schemas/runs/runs.ts'
import { needOfRun } from '#domain/runs/need-of-run.ts'
import { starterName } from '#domain/text/starter-name.ts'
import { phoneUntil, useMedia } from '../../states/use-media.ts'
import { Age, Moment, Time } from '../../text/time.tsx'
import { visibleString } from '../../text/visible-string.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { WorkerShape } from '../../text/worker-shape.tsx'
import { modeWords } from '../../words/mode-words.ts'
import { RunState } from '../run-state.tsx'
import '../runs.css'

/**
 * A run in the list: its task, its starter, and the people it waits for. On a phone, the worker and
 * the starter are one line above the task, and the row is one target for a thumb.
 */
export function RunRow({ run }: { run: Run }) {
  const isPhone = useMedia(phoneUntil)
  return (
    <li className="run-row" title={visibleString(run.title)}>
      {!isPhone && (
        <span className="run-number" aria-hidden>
          {run.number}
        </span>
      )}
      <Link to={`/runs/${run.id}`} className="run-link">
        <span className="visually-hidden">Run {run.number}, </span>
        {isPhone ? (
          <span className="visually-hidden">{run.worker}: </span>
        ) : (
          <>
            <WorkerShape name={run.worker} />
            {run.worker}:{' '}
          </>
        )}
        <VisibleText text={run.title} />
      </Link>
      <div className="run-facts dim small">
        <span className="run-begin">
          {isPhone ? (
            <>
              <WorkerShape name={run.worker} />
              {run.worker} #{run.number} · {starterName(run.startedBy)} ·{' '}
            </>
          ) : (
            <>
              started by <Starter run={run} />{' '}
            </>
          )}
          {isPhone ? <Age at={run.createdAt} /> : <Time at={run.createdAt} />}
          {run.scripted && ' · scripted model'}
          {run.mode !== 'prompt' && ` · mode “${modeWords[run.mode]}”`}
        </span>
        {!isPhone && <RunEnd run={run} />}
      </div>
      {isPhone ? (
        <div className="run-last dim small">
          <RunEnd run={run} />
          <ToDecide run={run} />
        </div>
      ) : (
        <ToDecide run={run} />
      )}
      <RunState run={run} />
    </li>
  )
}

function Starter({ run: { startedBy } }: { run: Run }) {
  if (startedBy === null) return starterName(null)
  return (
    <Link className="run-starter" to={`/runs?startedBy=${startedBy.id}`}>
      {startedBy.name}
    </Link>
  )
}

/** What a run waits for, or why it failed: nothing for most runs. */
function RunEnd({ run }: { run: Run }) {
  const [first] = run.waitsFor
  if (first === undefined && run.failure === undefined) return null
  return (
    <span className="run-end">
      {first !== undefined && (
        <>
          waits for {waitingNames(run)} since <Moment at={first.since} />
        </>
      )}
      {first !== undefined && run.failure !== undefined && ' · '}
      {run.failure !== undefined && <VisibleText text={run.failure.message} />}
    </span>
  )
}

/** A link to the requests that the run waits for. */
function ToDecide({ run }: { run: Run }) {
  if (run.pendingRequests === 0) return null
  return (
    <Link className="small run-waiting" to={`/?runId=${run.id}`}>
      {run.pendingRequests} to {needOfRun(run)}
      <span className="visually-hidden"> in run {run.number}</span>
    </Link>
  )
}

function waitingNames({ waitsFor }: Run): string {
  const needed = waitsFor.flatMap(({ people }) => neededPeople(people))
  const names = [...new Set(needed.map(({ name }) => name))]
  if (names.length === 0) return 'nobody who could decide'
  const more = names.length - 4
  return `${names.slice(0, 4).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
