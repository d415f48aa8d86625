import { IconCircleCheck } from '@tabler/icons-react'
import { Link, useSearchParams } from 'react-router'
import { useQueues, useWorkers } from '../api/queries.ts'
import { StartOffer } from '../runs/list/start-offer.tsx'
import { Checklist, useFirstSteps } from './checklist.tsx'
import { isNarrowed } from './inbox-filters.ts'

/** The empty list: why it is empty, and how to start a run that needs an approval. */
export function EmptyInbox() {
  const [search] = useSearchParams()
  const workers = useWorkers()
  const queues = useQueues()
  const first = useFirstSteps()
  const elsewhere = queues.data?.items.reduce((sum, queue) => sum + queue.pending, 0) ?? 0
  if (!isNarrowed(search) && elsewhere > 0 && search.get('mine') === 'true') {
    return (
      <div className="state">
        <IconCircleCheck className="state-icon" size={36} stroke={1.4} aria-hidden />
        <h2>Nothing waits for you</h2>
        <p className="dim">
          {elsewhere === 1 ? 'One request waits' : `${elsewhere} requests wait`} for others, or you
          have voted on {elsewhere === 1 ? 'it' : 'them'}.
        </p>
        <Link to="/">Show all that wait</Link>
      </div>
    )
  }
  if (!isNarrowed(search) && search.get('snoozed') === 'true') {
    return (
      <div className="state">
        <h2>Nothing is snoozed</h2>
        <p className="dim">What you snooze is here, and not in your other lists, until its time.</p>
        <Link to="/">Show all that wait</Link>
      </div>
    )
  }
  if (isNarrowed(search) || (elsewhere > 0 && search.size > 0)) {
    return (
      <div className="state">
        <h2>Nothing matches</h2>
        <p className="dim">
          {elsewhere > 0
            ? `${elsewhere} ${elsewhere === 1 ? 'waits' : 'wait'} without these filters.`
            : 'Nothing waits without these filters either.'}
        </p>
        <Link to="/">Show all that wait</Link>
      </div>
    )
  }
  if (first !== null) return <Checklist {...first} />
  const worker = workers.data?.items.find((one) => one.startable)
  return (
    <div className="state">
      <IconCircleCheck className="state-icon" size={36} stroke={1.4} aria-hidden />
      <h2>Nothing to decide</h2>
      <p className="dim">
        When an agent wants to do something that needs approval, the request appears here.
      </p>
      {worker !== undefined && <StartOffer worker={worker.name} />}
      {workers.data !== undefined && worker === undefined && (
        <p>
          You may start no worker of this project. <Link to="/policy">See the workers</Link>
        </p>
      )}
    </div>
  )
}
