import { starterName } from '#domain/text/starter-name.ts'
import { Link } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Facts } from '../deciding/facts/facts.tsx'
import { Activity } from './activity.tsx'

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
