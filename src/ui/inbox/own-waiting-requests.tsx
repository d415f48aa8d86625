import { Button } from '@mantine/core'
import { Fragment, useState } from 'react'
import { Link } from 'react-router'
import { neededPeople } from '#domain/deciding/needed-people.ts'
import { useNudge } from '../deciding/triage/use-nudge.ts'
import { Moment, Time, useNowMs } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'
import { isPressing, ownWaitingRuns, useOwnWaiting, type OwnWaitingRequest } from './own-waiting.ts'

/**
 * The most rows of this list above the requests: with more, the first requests would not be on the
 * screen.
 */
const maxRowsAbove = 3

/** Id of the headline, which takes the focus. */
export const ownWaitingTitle = 'you-wait-for'

/**
 * The requests that the person's own runs wait for: for whom, since when, and a button that reminds
 * these people once an hour. The pressing ones come first, in the order of the first look, so that
 * no row moves later.
 */
export function OwnWaitingRequests({ isFirst }: { isFirst: boolean }) {
  const { entries, hasMore } = useOwnWaiting()
  const [firstLookMs] = useState(useNowMs())
  const [showsAll, setShowsAll] = useState(false)
  if (entries.length === 0) return null
  const ranked = entries.toSorted(
    (one, other) => Number(isPressing(other, firstLookMs)) - Number(isPressing(one, firstLookMs)),
  )
  const rows = isFirst && !showsAll ? ranked.slice(0, maxRowsAbove) : ranked
  return (
    <section className="you-wait-for" aria-labelledby={ownWaitingTitle}>
      <h2 id={ownWaitingTitle} tabIndex={-1}>
        You wait for
      </h2>
      <ul className="plain-list">
        {rows.map((each) => (
          <Row key={each.request.requestId} {...each} />
        ))}
      </ul>
      {rows.length < entries.length && (
        <Button size="compact-sm" variant="default" onClick={() => setShowsAll(true)}>
          Show {entries.length - rows.length} more
        </Button>
      )}
      {hasMore && <Link to={`/runs?${ownWaitingRuns}`}>All that you wait for</Link>}
    </section>
  )
}

/** Names of people, and which of them are away. */
function WaitedFor({
  people,
}: {
  people: readonly OwnWaitingRequest['request']['people'][number][]
}) {
  if (people.length === 0) return <strong>Nobody who could decide</strong>
  return people.map(({ id, name, awayUntil }, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <strong>{name}</strong>
      {/* An API of an earlier version does not have this field. */}
      {awayUntil != null && (
        <>
          {' '}
          (away until <Moment at={awayUntil} />)
        </>
      )}
    </Fragment>
  ))
}

function Row({ run, request }: OwnWaitingRequest) {
  const nudge = useNudge(['runs'])
  const { number, requestId, since, expiresAt, effect } = request
  const people = neededPeople(request.people)
  const isUrgent = isPressing({ run, request }, useNowMs())
  const names = people.map(({ name }) => name).join(', ')
  return (
    <li>
      <span className="grow break">
        <WaitedFor people={people} />, since <Moment at={since} />:{' '}
        <Link to={`/requests/${requestId}`}>
          <VisibleText text={effect} /> #{number}
        </Link>{' '}
        of <Link to={`/runs/${run.id}`}>{run.worker}</Link>
        {isUrgent && (
          <span className="soon">
            {' '}
            · expires <Time at={expiresAt} />
          </span>
        )}
        {run.task !== null && (
          <>
            {' '}
            <span className="dim own-task">
              <VisibleText text={run.task.text} />
            </span>
          </>
        )}
      </span>
      {names !== '' && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Nudge ${names} about #${number}`}
          onClick={() => void nudge(requestId)}
        >
          {verbs.nudge}
        </Button>
      )}
    </li>
  )
}
