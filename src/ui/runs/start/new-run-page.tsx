import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useWorkers } from '../../api/queries.ts'
import { Headline } from '../../shell/headline.tsx'
import { Failure } from '../../states/failure.tsx'
import { LoadingCards } from '../../states/loading.tsx'
import { NewRunForm } from './new-run-form.tsx'
import { readLink } from './start-link.ts'
import './new-run.css'
import { OwnCommand } from '../../states/command.tsx'
import { verbs } from '../../words/verbs.ts'

/** Starts a run: worker, task, files, mode, and a preview of what the worker may do. */
export function NewRunPage() {
  const workers = useWorkers()
  const [search] = useSearchParams()
  // The address with which the page was opened. Later input is the person's own.
  const [link] = useState(() => readLink(search))
  return (
    <>
      <div className="page-head">
        <Headline tab={verbs.newRun}>{verbs.newRun}</Headline>
      </div>
      {workers.isPending && <LoadingCards what="the workers" layout="pairs" />}
      {workers.isLoadingError && <Failure query={workers} isPage />}
      {workers.data !== undefined &&
        (workers.data.items.some((worker) => worker.startable) ? (
          <NewRunForm workers={workers.data.items} link={link} />
        ) : (
          <NoWorkers anyAtAll={workers.data.items.length > 0} />
        ))}
    </>
  )
}

/** Says why no run can be started, and what to do. */
function NoWorkers({ anyAtAll }: { anyAtAll: boolean }) {
  return (
    <div className="state">
      {anyAtAll ? (
        <>
          <h2>You may start none of the workers</h2>
          <p className="dim">
            Each names the teams that may start it, under <code>startableBy</code> in its file. Ask
            a member of one of them, or have yourself added to a team in{' '}
            <code>countersign.yaml</code>.
          </p>
        </>
      ) : (
        <>
          <h2>No workers yet</h2>
          <p className="dim">
            A worker is a file <code>workers/NAME.md</code> in the project folder. This writes an
            example of one:
          </p>
          <OwnCommand text="init" />
        </>
      )}
    </div>
  )
}
