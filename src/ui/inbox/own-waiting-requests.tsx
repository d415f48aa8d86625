import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Run } from '#api/schemas/runs/runs.ts'
import { callApi } from '../api/call-api.ts'
import { useRuns } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'
import { Moment } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { isNarrowed } from './inbox-filters.ts'
import { verbs } from '../words/verbs.ts'

type WaitedRequest = Run['waitsFor'][number]

/**
 * The requests that the person's own runs wait for: for whom, since when, and a reminder, once an
 * hour.
 */
export function OwnWaitingRequests() {
  const [search] = useSearchParams()
  const runs = useRuns('startedBy=me&state=waiting_for_approval')
  const entries = (runs.data?.pages ?? []).flatMap(({ items }) =>
    items.flatMap((run) => run.waitsFor.map((request) => ({ run, request }))),
  )
  if (isNarrowed(search) || entries.length === 0) return null
  return (
    <section className="you-wait-for" aria-labelledby="you-wait-for">
      <h2 id="you-wait-for">You wait for</h2>
      <ul className="plain-list">
        {entries.map((each) => (
          <Row key={each.request.requestId} {...each} />
        ))}
      </ul>
      {runs.hasNextPage && (
        <Link to="/runs?startedBy=me&state=waiting_for_approval">All that you wait for</Link>
      )}
    </section>
  )
}

function Row({ run, request }: { run: Run; request: WaitedRequest }) {
  const act = useAct(['runs'])
  const [busy, setBusy] = useState(false)
  const { number, people, requestId, since } = request
  const names = people.map(({ name }) => name).join(', ')
  const nudge = async (): Promise<void> => {
    setBusy(true)
    await act(() => callApi('nudgeRequest', { params: { id: requestId } }), 'The nudge is sent')
    setBusy(false)
  }
  return (
    <li>
      <span className="grow break">
        <strong>{names === '' ? 'Nobody who could decide' : names}</strong>, since{' '}
        <Moment at={since} />: <Link to={`/requests/${requestId}`}>#{number}</Link> of{' '}
        <Link to={`/runs/${run.id}`}>{run.worker}</Link>
        {run.task !== null && (
          <span className="dim">
            {' '}
            · <VisibleText text={run.task.text} />
          </span>
        )}
      </span>
      {names !== '' && (
        <Button
          size="compact-sm"
          variant="default"
          loading={busy}
          aria-label={`Nudge ${names} about #${number}`}
          onClick={() => void nudge()}
        >
          {verbs.nudge}
        </Button>
      )}
    </li>
  )
}
