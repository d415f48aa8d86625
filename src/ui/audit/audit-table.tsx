import { UnstyledButton } from '@mantine/core'
import { absoluteTime, preciseTime } from '../text/time.tsx'
import { EventLine, type EventFields } from './event-line.tsx'
import { eventWords } from './event-words.ts'

/** Events as a table: time, a sentence, and a link to the exact record. */
export function AuditTable(props: {
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
              <td>
                <EventLine event={event} about={about} />
              </td>
              <td className="audit-channel dim small">{event.channel}</td>
              <td className="audit-record">
                <UnstyledButton
                  className="audit-open"
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
