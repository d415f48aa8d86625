import { Fragment } from 'react'
import { Link } from 'react-router'
import { useRun } from '../api/queries.ts'

/** Whose run an event is about: every worker above it, from the person's own run down. Nothing of runs one may not see. */
export function EventLineage({ runId }: { runId: string }) {
  const { data } = useRun(runId)
  if (data === undefined) return null
  return (
    <p className="small">
      {data.lineage.map((entry, index) => (
        <Fragment key={entry.runId}>
          {index > 0 && ' › '}
          <Link to={`/runs/${entry.runId}`}>{entry.worker}</Link>
        </Fragment>
      ))}
      <span className="dim">, started by {data.startedBy.name}</span>
    </p>
  )
}
