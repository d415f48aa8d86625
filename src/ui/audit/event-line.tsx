import { Fragment } from 'react'
import { Link } from 'react-router'
import type { AuditAboutView, AuditEventView } from '#api/schemas/audit/audit.ts'
import { eventSentence, noSubjects, type SentencePart } from '#domain/text/event-sentence.ts'
import { VisibleText } from '../text/visible-text.tsx'
import './event-line.css'

/** An event with the objects and texts that it refers to. */
export interface EventFields {
  readonly event: AuditEventView
  readonly about: AuditAboutView | undefined
}

/** The events of all loaded pages in order. */
export function eventsOfPages(
  pages:
    | readonly { items: readonly AuditEventView[]; about?: AuditAboutView | undefined }[]
    | undefined,
): EventFields[] {
  return (pages ?? []).flatMap(({ items, about }) => items.map((event) => ({ event, about })))
}

/** An event as a sentence. Objects are links, and texts of people are quoted. */
export function EventLine({
  event,
  about,
  isAboutOne = false,
}: EventFields & {
  /** whether all events of the list are about the same request, which is then called "it" */
  readonly isAboutOne?: boolean
}) {
  const target = isAboutOne ? null : targetOf(event)
  return eventSentence(event, about ?? noSubjects).map((part, index) => (
    // The parts have no key but their index.
    // eslint-disable-next-line react/no-array-index-key
    <Fragment key={index}>
      {index > 0 && ' '}
      {isAboutOne && part.as === 'subject' ? pronoun(index) : <Part part={part} target={target} />}
    </Fragment>
  ))
}

function pronoun(place: number): string {
  return place === 0 ? 'It' : 'it'
}

function Part({ part, target }: { part: SentencePart; target: string | null }) {
  const text = <VisibleText text={part.text} />
  switch (part.as) {
    case 'who':
      return text
    case 'verb':
      return <strong>{part.text}</strong>
    case 'subject':
      return target === null ? text : <Link to={target}>{text}</Link>
    case 'words':
      return <q className="event-quote">{text}</q>
    case 'plain':
      return <span className="dim">{text}</span>
  }
}

function targetOf({ requestId, runId }: AuditEventView): string | null {
  if (requestId !== undefined) return `/requests/${requestId}`
  return runId === undefined ? null : `/runs/${runId}`
}
