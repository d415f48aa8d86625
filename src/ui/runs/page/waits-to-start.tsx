import { Link } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { useMe } from '../../api/queries.ts'
import { CallDecision, DecideButton, useIsOpen } from '../calls/call-decision.tsx'

/**
 * A run whose start needs an approval: the request and who can decide it, and for who may, the form
 * in place. The form stays open until it is closed, also when the run has begun.
 */
export function WaitsToStart({ run }: { run: RunDetail }) {
  const { person } = useMe()
  const { startRequestId } = run
  const isOpen = useIsOpen(startRequestId)
  const request = run.waitsFor.find(({ requestId }) => requestId === startRequestId)
  const people = request?.people ?? []
  const isOwn = people.some(({ id }) => id === person.id)
  return (
    <>
      {request !== undefined && (
        <div className="banner row spread">
          <p role="status">
            <strong>It has not begun.</strong> Its start waits for{' '}
            <Link to={`/requests/${request.requestId}`}>request #{request.number}</Link>
            {people.length > 0 && `, which ${people.map(({ name }) => name).join(', ')} can decide`}
            .
          </p>
          {isOwn && <DecideButton request={request} verb="Decide" />}
        </div>
      )}
      {isOpen && startRequestId !== undefined && (
        <div className="card">
          <CallDecision placeId="timeline-title" requestId={startRequestId} />
        </div>
      )}
    </>
  )
}
