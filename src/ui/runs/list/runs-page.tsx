import { starterName } from '#domain/text/starter-name.ts'
import { Button, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Run } from '#api/schemas/runs/runs.ts'
import { useMe, useRuns, useWorkers } from '../../api/queries.ts'
import { startCommand } from './start-command.ts'
import { Headline } from '../../shell/headline.tsx'
import { Command } from '../../states/command.tsx'
import { Failure } from '../../states/failure.tsx'
import { LoadingRows } from '../../states/loading.tsx'
import { ShowMore } from '../../states/show-more.tsx'
import { Moment, Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { WorkerShape } from '../../text/worker-shape.tsx'
import { RunState, runStateWords } from '../run-state.tsx'
import { Schedules } from './schedules.tsx'
import { Triggers } from './triggers.tsx'
import { verbs } from '../../words/verbs.ts'
import '../runs.css'

const filterNames = ['state', 'worker', 'startedBy'] as const

/** All runs that the person may see, newest first. */
export function RunsPage() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const query = new URLSearchParams()
  for (const name of filterNames) if (search.get(name)) query.set(name, search.get(name) ?? '')
  const runs = useRuns(query.toString())
  const workers = useWorkers()
  const items = runs.data?.pages.flatMap((page) => page.items) ?? []
  const startedBy = search.get('startedBy') ?? ''
  const set = (name: string, value: string): void => {
    const next = new URLSearchParams(search)
    if (value === '') next.delete(name)
    else next.set(name, value)
    void navigate(`/runs?${next.toString()}`, { replace: true })
  }
  return (
    <>
      <div className="page-head">
        <Headline tab="Runs">Runs</Headline>
        <div className="row">
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => void navigate('/runs/new')}
          >
            {verbs.newRun}
          </Button>
          <NativeSelect
            aria-label="State"
            value={search.get('state') ?? ''}
            onChange={(event) => set('state', event.currentTarget.value)}
            data={[
              { value: '', label: 'Any state' },
              ...Object.entries(runStateWords).map(([value, label]) => ({ value, label })),
            ]}
          />
          <NativeSelect
            aria-label="Worker"
            value={search.get('worker') ?? ''}
            onChange={(event) => set('worker', event.currentTarget.value)}
            data={[
              { value: '', label: 'Any worker' },
              ...(workers.data?.items.map((worker) => worker.name) ?? []),
            ]}
          />
          <NativeSelect
            aria-label="Started by"
            value={startedBy}
            onChange={(event) => set('startedBy', event.currentTarget.value)}
            data={[
              { value: '', label: 'Started by anybody' },
              { value: 'me', label: 'Started by me' },
              ...namedStarter(startedBy, items),
            ]}
          />
        </div>
      </div>
      <div className="runs-split">
        <div className="starts">
          <Schedules />
          <Triggers />
        </div>
        <div>
          {runs.isPending && <LoadingRows what="the runs" />}
          {runs.isError && <Failure error={runs.error} retry={() => void runs.refetch()} />}
          {runs.isSuccess && items.length === 0 && <NoRuns hasFilters={query.size > 0} />}
          {items.length > 0 && (
            <ul className="run-list">
              {items.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
          )}
          <ShowMore list={runs} />
        </div>
      </div>
    </>
  )
}

/** A run in the list: its task, its starter, and the people it waits for. */
function RunRow({ run }: { run: Run }) {
  return (
    <li className="run-row">
      <div className="grow">
        <Link to={`/runs/${run.id}`} className="request-link">
          <span className="run-number">{run.number}</span>
          <WorkerShape name={run.worker} />
          {run.worker}: <VisibleText text={run.title} />
        </Link>
        <div className="dim small">
          started by{' '}
          {run.startedBy === null ? (
            starterName(null)
          ) : (
            <Link className="run-starter" to={`/runs?startedBy=${run.startedBy.id}`}>
              {run.startedBy.name}
            </Link>
          )}{' '}
          <Time at={run.createdAt} />
          {run.scripted && ' · scripted model'}
          {run.mode !== 'prompt' && ` · mode ${run.mode}`}
          <WaitingFor run={run} />
          {run.failure !== undefined && (
            <>
              {' '}
              · <VisibleText text={run.failure.message} />
            </>
          )}
        </div>
      </div>
      {run.pendingRequests > 0 && (
        <Link className="small run-waiting" to={`/?runId=${run.id}`}>
          {run.pendingRequests} to decide
        </Link>
      )}
      <RunState state={run.state} />
    </li>
  )
}

/** The name of a person whom the address names by id or e-mail address. */
function namedStarter(startedBy: string, runs: readonly Run[]) {
  if (startedBy === '' || startedBy === 'me') return []
  const [first] = runs
  return [{ value: startedBy, label: `Started by ${first?.startedBy?.name ?? startedBy}` }]
}

/** The people a run waits for, and since when. */
function WaitingFor({ run }: { run: Run }) {
  const [first] = run.waitsFor
  if (first === undefined) return null
  const names = [...new Set(run.waitsFor.flatMap(({ people }) => people.map(({ name }) => name)))]
  const firstNames = names.slice(0, 4).join(', ')
  return (
    <>
      {' '}
      · waits for {firstNames === '' ? 'nobody who could decide' : firstNames}
      {names.length > 4 && ` and ${names.length - 4} more`} since <Moment at={first.since} />
    </>
  )
}

function NoRuns({ hasFilters }: { hasFilters: boolean }) {
  const me = useMe()
  const navigate = useNavigate()
  const workers = useWorkers()
  const worker = workers.data?.items.find((one) => one.startable)
  return (
    <div className="state">
      <h2>{hasFilters ? 'No run matches' : 'No runs yet'}</h2>
      {hasFilters ? (
        <Link to="/runs">Show all runs</Link>
      ) : (
        worker !== undefined && (
          <>
            <p className="dim">A run is one task that a worker does. Start the first:</p>
            <Button onClick={() => void navigate(`/runs/new?worker=${worker.name}`)}>
              New run of {worker.name}
            </Button>
            <p className="dim small">Or in a terminal on the machine that runs the service:</p>
            <Command text={startCommand(worker.name, me)} />
          </>
        )
      )}
    </div>
  )
}
