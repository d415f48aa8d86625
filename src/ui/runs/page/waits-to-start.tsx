import { Link } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'

/** A run whose start waits for an approval: the request, and who can decide it. */
export function WaitsToStart({ run }: { run: RunDetail }) {
  const request = run.waitsFor.find(({ requestId }) => requestId === run.startRequestId)
  if (request === undefined) return null
  const people = request.people.map(({ name }) => name)
  return (
    <p className="banner" role="status">
      <strong>It has not begun.</strong> Its start waits for{' '}
      <Link to={`/requests/${request.requestId}`}>request #{request.number}</Link>
      {people.length > 0 && `, which ${people.join(', ')} can decide`}.
    </p>
  )
}
