import { Link, useParams, useSearchParams } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { ApiRefusal } from '../../api/call-api.ts'
import { useRun, useWorker } from '../../api/queries.ts'
import { Failure } from '../../states/failure.tsx'
import { Headline } from '../../shell/headline.tsx'
import { Loading } from '../../states/loading.tsx'
import { Notice } from '../../states/notice.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { StartPreview } from '../start/start-preview.tsx'
import { ForkForm } from './fork-form.tsx'
import '../start/new-run.css'

/** Forks a run, or starts it again. */
export function ForkPage() {
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const run = useRun(id)
  const worker = useWorker(run.data?.worker ?? null)
  if (run.isLoadingError) {
    return <Failure query={run} isPage />
  }
  if (run.data !== undefined && isGone(worker.error)) return <WorkerGone run={run.data} />
  if (worker.isLoadingError) {
    return <Failure query={worker} isPage />
  }
  if (run.data === undefined || worker.data === undefined) {
    return <Loading what="the run" lines={6} />
  }
  const after = afterTurnOf(search.get('after'))
  const { refusal } = worker.data.preview
  const title = titleOf(run.data.number, after)
  return (
    <>
      <div className="page-head">
        <Headline tab={title}>{title}</Headline>
      </div>
      <div className="new-run">
        <ForkForm run={run.data} worker={worker.data} after={after} />
        <aside className="column" aria-label="Before it starts">
          {refusal !== null && (
            <Notice tone="bad" title="A run of this worker would not start now">
              <VisibleText text={refusal.detail} />
            </Notice>
          )}
          <p className="dim small">
            Everybody who stands behind run {run.data.number} is a principal of the new run and
            cannot decide its requests. Remembered approvals are not copied, and limits count from
            zero.
          </p>
          <StartPreview preview={worker.data.preview} mode={run.data.mode} />
        </aside>
      </div>
    </>
  )
}

function isGone(error: Error | null): boolean {
  return error instanceof ApiRefusal && error.code === 'unknown_worker'
}

/** The worker of the run was removed from the configuration, so that no run of it can start. */
function WorkerGone({ run }: { run: RunDetail }) {
  return (
    <div className="state">
      <h1 tabIndex={-1}>There is no worker {run.worker} any more</h1>
      <p className="dim">
        The policy in force does not have it, so that no run of it can start. Runs that have begun
        continue with their own version of it.
      </p>
      <p>
        <Link to={`/runs/${run.id}`}>Go back to run {run.number}</Link>
      </p>
      <Link to="/runs/new">Start a run of another worker</Link>
    </div>
  )
}

function titleOf(number: number, after: number | null): string {
  if (after === 0) return `Start run ${number} again`
  return after === null ? `Fork run ${number}` : `Fork run ${number} after turn ${after}`
}

/** The last turn to take over; `null`: the last turn whose calls all have results. */
function afterTurnOf(text: string | null): number | null {
  return text !== null && /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : null
}
