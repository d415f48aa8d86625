import { UnstyledButton } from '@mantine/core'
import { Link } from 'react-router'
import { requestOf } from '#client/call.ts'
import type { AuditEventType } from '#domain/audit-event.ts'
import { SaveButton } from '../states/save-button.tsx'
import { preciseTime } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { EventLine, type EventFields } from './event-line.tsx'
import { eventWords } from './event-words.ts'
import { PresentationSeen } from './presentation-seen.tsx'
import { ProofCheck } from './proof/proof-check.tsx'

const chapters: readonly { readonly title: string; readonly types: readonly AuditEventType[] }[] = [
  { title: 'Request', types: ['call.judged', 'request.opened', 'request.revised'] },
  {
    title: 'Decision',
    types: [
      'decision.recorded',
      'grant.given',
      'permit.issued',
      'permit.revoked',
      'request.expired',
      'request.cancelled',
    ],
  },
  {
    title: 'Execution',
    types: [
      'permit.consumed',
      'permit.refused',
      'execution.started',
      'execution.finished',
      'execution.refused',
      'execution.unknown',
      'execution.settled',
    ],
  },
]
const chapterTypes = new Set(chapters.flatMap(({ types }) => types))

/** The events of one request, oldest first, in chapters, with the proof at the end. */
export function EventHistory(props: {
  /** id or number */
  request: string
  events: readonly EventFields[]
  /** whether the page can load older events */
  hasOlder: boolean
  /** whether the person may export evidence */
  readsAll: boolean
  onOpen: (fields: EventFields) => void
}) {
  const events = props.events.toReversed()
  const all = chaptersOf(events)
  const request = events.at(-1)?.about?.requests[0]
  return (
    <>
      {request !== undefined && (
        <p className="event-history-title">
          <Link to={`/requests/${request.id}`}>
            #{request.number} <VisibleText text={request.effect} />
          </Link>
        </p>
      )}
      <ol className="event-history" aria-label="History of the request">
        {all.map((chapter) => (
          <li key={chapter.title} className="event-history-chapter">
            <h2>{chapter.title}</h2>
            {chapter.isPresentation === true ? (
              <PresentationSeen
                request={request?.id ?? props.request}
                events={events.map(({ event }) => event)}
              />
            ) : (
              <ul className="plain-list">
                {chapter.events.map((each) => (
                  <EventHistoryLine key={each.event.id} {...each} onOpen={props.onOpen} />
                ))}
              </ul>
            )}
          </li>
        ))}
        <li className="event-history-chapter">
          <h2>Proof</h2>
          <div className="column">
            {props.readsAll && request !== undefined && (
              <div className="event-history-evidence">
                <SaveButton
                  size="xs"
                  variant="default"
                  name={`request-${request.number}.json`}
                  request={requestOf('getEvidence', { params: { id: request.id } })}
                >
                  Evidence bundle
                </SaveButton>
                <p className="dim small">
                  A stranger verifies it without this service: see “Verify it offline”.
                </p>
              </div>
            )}
            <ProofCheck
              request={props.request}
              events={events.map(({ event }) => event)}
              hasOlder={props.hasOlder}
            />
          </div>
        </li>
      </ol>
    </>
  )
}

interface Chapter {
  readonly title: string
  readonly events: readonly EventFields[]
  /** the chapter with the presentation of the request, which has no events */
  readonly isPresentation?: true
}

/**
 * The chapters of a history with their events, oldest first. Other events, such as comments, are
 * before the decision or after the execution, by their time.
 */
function chaptersOf(events: readonly EventFields[]): readonly Chapter[] {
  const [opening, decision, execution] = chapters.map(({ title, types }) => ({
    title,
    events: events.filter(({ event }) => types.includes(event.type)),
  }))
  const decisionAt = events.findIndex(({ event }) => chapters[1]?.types.includes(event.type))
  const others = (from: number, to: number): readonly EventFields[] =>
    events.slice(from, to).filter(({ event }) => !chapterTypes.has(event.type))
  const end = decisionAt === -1 ? events.length : decisionAt
  const waiting = {
    title: decisionAt === -1 ? 'While it waits' : 'Before the decision',
    events: others(0, end),
  }
  const afterwards = { title: 'Afterwards', events: others(end, events.length) }
  const presentation: Chapter = {
    title: isSeen(events) ? 'What people saw' : 'What was to be seen',
    events: [],
    isPresentation: true,
  }
  return [opening, presentation, waiting, decision, execution, afterwards].filter(
    (chapter): chapter is Chapter =>
      chapter !== undefined && (chapter.events.length > 0 || chapter === presentation),
  )
}

/** Whether somebody stated with a decision that the newest revision was on their screen. */
function isSeen(events: readonly EventFields[]): boolean {
  const revisedAt = events.findLastIndex(({ event }) => event.type === 'request.revised')
  return events
    .slice(revisedAt + 1)
    .some(
      ({ event }) => event.type === 'decision.recorded' && typeof event.detail['seen'] === 'string',
    )
}

function EventHistoryLine({
  event,
  about,
  onOpen,
}: EventFields & { onOpen: (fields: EventFields) => void }) {
  return (
    <li className={event.type.endsWith('refused') ? 'audit-refused' : undefined}>
      <span className="audit-when">{preciseTime(event.at)}</span>
      <span id={`event-${event.id}`} className="grow break">
        <EventLine event={event} about={about} isAboutOne />
      </span>
      <UnstyledButton
        className="audit-open small"
        aria-describedby={`event-${event.id}`}
        onClick={() => onOpen({ event, about })}
      >
        {eventWords(event.type)}
      </UnstyledButton>
    </li>
  )
}
