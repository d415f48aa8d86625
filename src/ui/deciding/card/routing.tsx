import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import './card.css'

/**
 * Why an approval is needed, and the reasons of queue, risk and quorum, each with file and line.
 */
export function ApprovalReasons({ request }: { request: RequestDetail }) {
  const { rule, routing } = request
  return (
    <section className="card" aria-labelledby="why-title">
      <h2 id="why-title">Why this needs a decision</h2>
      <dl className="why">
        <Why name="Rule" value={rule.text} text={null} source={rule.source} />
        <Why name="Queue" {...routing.queue} />
        <Why name="Risk" {...routing.risk} />
        <Why name="Quorum" {...routing.quorum} />
      </dl>
    </section>
  )
}

function Why(props: { name: string; value: string; text: string | null; source: string | null }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        <VisibleText text={props.value} />
        {props.text !== null && (
          <span className="dim">
            : <VisibleText text={props.text} />
          </span>
        )}
        {props.source !== null && (
          <>
            {' '}
            <code className="small">
              <VisibleText text={props.source} />
            </code>
          </>
        )}
      </dd>
    </div>
  )
}
