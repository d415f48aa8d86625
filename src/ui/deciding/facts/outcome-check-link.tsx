import { Link } from 'react-router'

/** A link to the outcome check of a call. `maySettle`: the person may settle it. */
export function OutcomeCheckLink({ id, maySettle }: { id: string; maySettle: boolean }) {
  return (
    <Link to={`/requests/${id}`}>
      {maySettle ? 'Say whether it took effect' : 'See the outcome check'}
    </Link>
  )
}
