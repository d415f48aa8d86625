import { useEffect } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { useRuns, useSchedules, useTriggers, useWorkers } from '../../api/queries.ts'
import { useRowKeys } from '../../keyboard/use-row-keys.ts'
import { Failure } from '../../states/failure.tsx'
import { LoadingRows } from '../../states/loading.tsx'
import { ShowMore } from '../../states/show-more.tsx'
import { type FromRun, rememberRuns } from '../last-runs.ts'
import { RunRow } from './run-row.tsx'
import { StartOffer } from './start-offer.tsx'
import { runFilters, RunsHead } from './run-filters.tsx'
import { Schedules } from './schedules.tsx'
import { Triggers } from './triggers.tsx'
import '../runs.css'
import { countWords } from '#domain/text/quantities/count-words.ts'

const allRuns = { to: '/runs', words: 'Show all runs' }

/** All runs that the person may see, newest first. */
export function RunsPage() {
  const [search] = useSearchParams()
  const query = runFilters(search)
  useRowKeys('.run-link')
  useEffect(() => rememberRuns(query))
  const runs = useRuns(query.toString())
  // On a phone, links to them are above the runs and would move the rows when they are loaded.
  const [schedules, triggers] = [useSchedules(), useTriggers()]
  const lists = [runs, schedules, triggers]
  const isLoading = lists.some(({ isPending }) => isPending)
  // One notice for the page, whose button loads all that failed: none before the runs are there or
  // failed too.
  const isSaid = (list: { isError: boolean }): boolean => !runs.isSuccess && list.isError
  const loadAgain = (): void => {
    for (const list of lists) if (list.isError) void list.refetch()
  }
  const items = isLoading ? [] : (runs.data?.pages.flatMap((page) => page.items) ?? [])
  useRowOfRun(items.length > 0)
  return (
    <>
      <RunsHead runs={items} />
      <StartLinks />
      <div className="runs-split">
        <div className="answer" aria-busy={runs.isPlaceholderData}>
          {isLoading && <LoadingRows what="the runs" />}
          <Failure query={{ error: runs.error, refetch: loadAgain }} isPage whole={allRuns} />
          {runs.isSuccess && !isLoading && items.length === 0 && (
            <NoRuns hasFilters={query.size > 0} />
          )}
          {items.length > 0 && (
            <ul className="run-list">
              {items.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
          )}
          <ShowMore list={runs} />
        </div>
        <div className="starts">
          {!isSaid(schedules) && <Schedules />}
          {!isSaid(triggers) && <Triggers />}
        </div>
      </div>
    </>
  )
}

function NoRuns({ hasFilters }: { hasFilters: boolean }) {
  const workers = useWorkers()
  const worker = workers.data?.items.find((one) => one.startable)
  return (
    <div className="state">
      <h2>{hasFilters ? 'No run matches' : 'No runs yet'}</h2>
      {hasFilters ? (
        <Link to={allRuns.to}>{allRuns.words}</Link>
      ) : (
        worker !== undefined && (
          <>
            <p className="dim">A run is one task that a worker does. Start the first:</p>
            <StartOffer worker={worker.name} />
          </>
        )
      )}
      {!hasFilters && workers.isSuccess && worker === undefined && (
        <p className="dim">
          You may start no worker of this project. <Link to="/policy">See the workers</Link>
        </p>
      )}
    </div>
  )
}

/** After a return from a run by key, its row has the focus, so that J and K go on from there. */
function useRowOfRun(hasRows: boolean): void {
  const run = (useLocation().state as Partial<FromRun> | null)?.fromRun
  useEffect(() => {
    if (!hasRows || run === undefined) return
    document.querySelector<HTMLElement>(`.run-link[href$="/${run}"]`)?.focus()
  }, [hasRows, run])
}

/** Links to the schedules and triggers on pages where they are below the runs. */
function StartLinks() {
  const schedules = useSchedules().data?.items.length ?? 0
  const triggers = useTriggers().data?.items.length ?? 0
  if (schedules + triggers === 0) return null
  return (
    <nav className="start-links" aria-label="What starts runs">
      {schedules > 0 && <a href="#schedules-title">{countWords(schedules, 'schedule')}</a>}
      {triggers > 0 && <a href="#triggers-title">{countWords(triggers, 'trigger')}</a>}
    </nav>
  )
}
