import { Fragment } from 'react'
import { Link } from 'react-router'

/** Requests by their numbers, each a link to it. */
export function RequestNumbers({ numbers }: { numbers: readonly number[] }) {
  return numbers.map((number, at) => (
    <Fragment key={number}>
      {at > 0 && ', '}
      <Link to={`/requests/${number}`}>#{number}</Link>
    </Fragment>
  ))
}
