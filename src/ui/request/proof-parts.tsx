import { IconReceipt } from '@tabler/icons-react'
import { starterName } from '#domain/text/starter-name.ts'
import { Link } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { Facts } from '../deciding/facts/facts.tsx'
import { useAudit } from '../api/queries.ts'
import { EventLine, eventsOfPages } from '../audit/event-line.tsx'
import { Failure } from '../states/failure.tsx'
import { SaveButton } from '../states/save-button.tsx'
import { Time } from '../text/time.tsx'

/** The parts of the proof: `Proof` loads them when it is opened. */
export function ProofParts(props: {
  request: RequestDetail
  displayedRequest: RequestDetail
  /** whether to show the raw input */
  raw: boolean
  onRaw: (raw: boolean) => void
}) {
  const { request } = props
  return (
    <div className="column">
      <Facts request={props.displayedRequest} raw={props.raw} onRaw={props.onRaw} />
      <Lineage request={request} />
      <Activity request={request} />
    </div>
  )
}

/** The lineage, from the person's root run down to the run of this request. */
function Lineage({ request }: { request: RequestDetail }) {
  if (request.runId === null) return null
  return (
    <section aria-labelledby="lineage-title">
      <h3 id="lineage-title">Where it comes from</h3>
      <ol className="lineage">
        {request.lineage.map((entry) => (
          <li key={entry.runId}>
            <Link to={`/runs/${entry.runId}`}>{entry.worker}</Link>
            <span className="dim small"> started by {starterName(entry.startedBy)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The audit events of this request, and their proof as a download. */
function Activity({ request }: { request: RequestDetail }) {
  const audit = useAudit(`requestId=${request.id}`)
  const events = eventsOfPages(audit.data?.pages)
  return (
    <section aria-labelledby="activity-title">
      <h3 id="activity-title">Activity</h3>
      <Failure query={audit} />
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
