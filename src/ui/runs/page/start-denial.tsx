import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { requestQuery } from '../../api/queries.ts'
import { outcomeOf } from '../../deciding/facts/state-words.ts'
import { VisibleText } from '../../text/visible-text.tsx'

/** Who denied the start of a run, and why, with a link to the request. */
export function StartDenial({ requestId }: { requestId: string }) {
  const request = useQuery(requestQuery(requestId))
  if (request.data === undefined) return null
  const { decisions, number } = request.data
  const reason = decisions.at(-1)?.reason ?? null
  return (
    <>
      {' '}
      {outcomeOf(request.data)}
      {reason !== null && (
        <>
          : “<VisibleText text={reason} />”
        </>
      )}{' '}
      <Link to={`/requests/${requestId}`}>Request #{number}</Link>
    </>
  )
}
