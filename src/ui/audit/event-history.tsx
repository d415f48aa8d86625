import { UnstyledButton } from '@mantine/core'
import { Link } from 'react-router'
import type { AuditEventView } from '#api/schemas/audit/audit.ts'
import type { AuditEventType } from '#domain/audit-event.ts'
import { preciseTime } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { EventLine, type EventFields } from './event-line.tsx'
import { eventWords } from './event-words.ts'
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
  onOpen: (event: AuditEventView) => void
}) {
  const events = props.events.toReversed()
  const [opening, ...later] = chapters.map(({ title, types }) => ({
    title,
    events: events.filter(({ event }) => types.includes(event.type)),
  }))
  const between = {
    title: 'Before the decision',
    events: events.filter(({ event }) => !chapterTypes.has(event.type)),
  }
  const all = [opening, between, ...later].filter((chapter) => chapter !== undefined)
  const request = events.at(-1)?.about?.requests[0]
  return (
    <>
      {request !== undefined && (
        <p className="story-title">
          <Link to={`/requests/${request.id}`}>
            #{request.number} <VisibleText text={request.effect} />
          </Link>
        </p>
      )}
      <ol className="story" aria-label="Story of the request">
        {all
          .filter((chapter) => chapter.events.length > 0)
          .map((chapter) => (
            <li key={chapter.title} className="story-chapter">
              <h2>{chapter.title}</h2>
              <ul className="plain-list">
                {chapter.events.map((each) => (
                  <EventHistoryLine key={each.event.id} {...each} onOpen={props.onOpen} />
                ))}
              </ul>
            </li>
          ))}
        <li className="story-chapter">
          <h2>Proof</h2>
          <ProofCheck request={props.request} />
        </li>
      </ol>
    </>
  )
}

function EventHistoryLine({
  event,
  about,
  onOpen,
}: EventFields & { onOpen: (event: AuditEventView) => void }) {
  const { seen } = event.detail
  return (
    <li className={event.type.endsWith('refused') ? 'audit-refused' : undefined}>
      <span className="grow break">
        <EventLine event={event} about={about} isAboutOne />
        {typeof seen === 'string' && (
          <span className="dim small"> What was on the screen has the digest {seen}.</span>
        )}
      </span>
      <span className="audit-when small">{preciseTime(event.at)}</span>
      <UnstyledButton className="audit-open small" onClick={() => onOpen(event)}>
        {eventWords(event.type)}
      </UnstyledButton>
    </li>
  )
}
