import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useWorkers } from '../../api/queries.ts'
import { Headline } from '../../shell/headline.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { NewRunForm } from './new-run-form.tsx'
import { NoWorkers } from './no-workers.tsx'
import './new-run.css'

/** Starts a run: worker, task, files, mode, and what the worker may do before it does anything. */
export function NewRunPage() {
  const workers = useWorkers()
  const [search] = useSearchParams()
  // The link that the page was opened with: what is typed afterwards is the person's own.
  const [link] = useState(search)
  return (
    <>
      <div className="page-head">
        <Headline tab="New run">New run</Headline>
      </div>
      {workers.isPending && <Loading what="the workers" lines={6} />}
      {workers.isError && workers.data === undefined && (
        <Failure error={workers.error} retry={() => void workers.refetch()} />
      )}
      {workers.data !== undefined &&
        (workers.data.items.some((worker) => worker.startable) ? (
          <NewRunForm workers={workers.data.items} link={link} />
        ) : (
          <NoWorkers anyAtAll={workers.data.items.length > 0} />
        ))}
    </>
  )
}
