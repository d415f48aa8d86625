import { Link } from 'react-router'
import { UnstyledButton } from '@mantine/core'
import { ApiRefusal } from '../api/call-api.ts'
import type { useAudit } from '../api/queries.ts'
import { Failure } from '../states/failure.tsx'
import { later } from '../states/later.tsx'
import { LoadingRows } from '../states/loading.tsx'
import { Notice } from '../states/notice.tsx'
import { type EventFields, EventLine } from './event-line.tsx'
import { absoluteTime, preciseTime } from '../text/time.tsx'
import { eventWords } from './event-words.ts'

const EventHistory = later(
  () => import('./event-history.tsx').then((module) => module.EventHistory),
  () => <LoadingRows what="the history" />,
)

const allEvents = { to: '/audit', words: 'Show all events' }

/** The events that the filters find, or why there are none. */
export function AuditEvents(props: {
  audit: ReturnType<typeof useAudit>
  events: readonly EventFields[]
  /** the id of the only request that the filters name, whose events are shown as its history */
  requestOfHistory: string | null
  isNarrowed: boolean
  readsAll: boolean
  onOpen: (event: EventFields) => void
}) {
  const { audit, events, requestOfHistory, isNarrowed, readsAll, onOpen } = props
  // The API answers 404 for a request that does not exist or that the person may not see.
  const unknown = audit.error instanceof ApiRefusal && audit.error.status === 404
  const unreadable = (audit.data?.pages ?? []).reduce(
    (count, page) => count + (page.unreadable ?? 0),
    0,
  )
  return (
    <>
      {audit.isPending && <LoadingRows what="the trail" />}
      {audit.isError && !unknown && <Failure query={audit} isPage whole={allEvents} />}
      {(unknown || (audit.isSuccess && events.length === 0)) && (
        <NoEvents isNarrowed={isNarrowed} readsAll={readsAll} />
      )}
      {unreadable > 0 && (
        <Notice tone="bad" title={`Not events of the service: ${unreadable}`}>
          Something else wrote them to the database. An export has their texts.
        </Notice>
      )}
      {events.length > 0 && !unknown && requestOfHistory !== null && (
        <EventHistory
          request={requestOfHistory}
          events={events}
          hasOlder={audit.hasNextPage}
          readsAll={readsAll}
          onOpen={onOpen}
        />
      )}
      {events.length > 0 && !unknown && requestOfHistory === null && (
        <AuditTable events={events} onOpen={onOpen} />
      )}
    </>
  )
}

function NoEvents({ isNarrowed, readsAll }: { isNarrowed: boolean; readsAll: boolean }) {
  const whose = readsAll ? 'yet' : 'that you may see'
  return (
    <div className="state">
      <h2>{isNarrowed ? 'No event matches' : `No events ${whose}`}</h2>
      <p className="dim">
        {isNarrowed
          ? 'Nothing that you may see fits all of these filters.'
          : 'Events appear here as they are recorded.'}
      </p>
      {isNarrowed && <Link to={allEvents.to}>{allEvents.words}</Link>}
    </div>
  )
}

/** Events as a table: time, a sentence, and a link to the exact record. */
function AuditTable(props: {
  events: readonly EventFields[]
  onOpen: (fields: EventFields) => void
}) {
  return (
    <div className="audit-box">
      <table className="audit-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What happened</th>
            <th scope="col">Channel</th>
            <th scope="col">Record</th>
          </tr>
        </thead>
        <tbody>
          {props.events.map(({ event, about }) => (
            <tr
              key={event.id}
              className={event.type.endsWith('refused') ? 'audit-refused' : undefined}
            >
              <td className="audit-when" title={absoluteTime(event.at)}>
                {preciseTime(event.at)}
              </td>
              <td id={`event-${event.id}`}>
                <EventLine event={event} about={about} />
              </td>
              <td className="audit-channel dim small">{event.channel}</td>
              <td className="audit-record">
                <UnstyledButton
                  className="audit-open"
                  aria-describedby={`event-${event.id}`}
                  onClick={() => props.onOpen({ event, about })}
                >
                  {eventWords(event.type)}
                </UnstyledButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
