import { UnstyledButton } from '@mantine/core'
import { Link } from 'react-router'
import type { AuditEventView } from '#api/schemas/audit/audit.ts'
import { absoluteTime } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { eventWords } from './event-words.ts'

const precise = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** Events as a table: when, what, who, and what it is about. */
export function AuditTable(props: {
  events: readonly AuditEventView[]
  onOpen: (event: AuditEventView) => void
}) {
  return (
    <div className="audit-box">
      <table className="audit-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">About</th>
          </tr>
        </thead>
        <tbody>
          {props.events.map((event) => (
            <tr
              key={event.id}
              className={event.type.endsWith('refused') ? 'audit-refused' : undefined}
            >
              <td className="audit-when" title={absoluteTime(event.at)}>
                {precise.format(new Date(event.at))}
              </td>
              <td>
                <UnstyledButton className="audit-open" onClick={() => props.onOpen(event)}>
                  {eventWords(event.type)}
                </UnstyledButton>
              </td>
              <td>
                <VisibleText text={event.actor.name ?? event.actor.type} />
                <span className="dim small"> {event.channel}</span>
              </td>
              <td className="small">
                {event.requestId !== undefined && (
                  <Link to={`/requests/${event.requestId}`}>request</Link>
                )}{' '}
                {event.runId !== undefined && <Link to={`/runs/${event.runId}`}>run</Link>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
