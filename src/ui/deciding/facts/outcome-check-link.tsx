import { Link } from 'react-router'

/** Leads to the request that asks whether a call took effect, for some to say and all to see. */
export function OutcomeCheckLink({ id, maySettle }: { id: string; maySettle: boolean }) {
  return (
    <Link to={`/requests/${id}`}>{maySettle ? 'Say whether it took effect' : 'See its check'}</Link>
  )
}
