import { IconReceipt } from '@tabler/icons-react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { useAudit } from '../api/queries.ts'
import { EventLine, eventsOfPages } from '../audit/event-line.tsx'
import { SaveButton } from '../states/save-button.tsx'
import { Time } from '../text/time.tsx'

/** The audit events of this request, and their proof as a download. */
export function Activity({ request }: { request: RequestDetail }) {
  const audit = useAudit(`requestId=${request.id}`)
  const events = eventsOfPages(audit.data?.pages)
  return (
    <section aria-labelledby="activity-title">
      <h3 id="activity-title">Activity</h3>
      {audit.isError && <p className="dim">{audit.error.message}</p>}
      <ul className="plain-list">
        {events.map(({ event, about }) => (
          <li key={event.id}>
            <span className="grow break">
              <EventLine event={event} about={about} isAboutOne />
            </span>
            <span className="dim small">
              <Time at={event.at} />
            </span>
          </li>
        ))}
      </ul>
      <div className="row">
        <SaveButton
          size="xs"
          variant="subtle"
          request={requestOf('getReceipt', { params: { id: request.id } })}
          name={`receipt-${request.number}.json`}
          icon={<IconReceipt size={14} aria-hidden />}
        >
          Receipt
        </SaveButton>
      </div>
    </section>
  )
}
