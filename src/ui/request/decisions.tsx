import { Link } from 'react-router'
import type { DecisionView } from '#api/schemas/requests/request-parts.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RequestState } from '#domain/requests/request.ts'
import { reachWords } from '#domain/text/approval-words.ts'
import { later } from '../states/later.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/** Loaded for the few approvals that are remembered. */
const GrantOfRequest = later(() =>
  import('../runs/page/grants.tsx').then((module) => module.GrantOfRequest),
)

/** Whether a request has more to tell than its first revision. Pure. */
export function hasHistory({ decisions, previous, revisions }: RequestDetail): boolean {
  return decisions.length > 0 || previous.length > 0 || revisions.length > 1
}

/** The votes on this request, earlier requests for the same call, and the revisions. */
export function Decisions({ request }: { request: RequestDetail }) {
  const { decisions, previous, revisions } = request
  if (!hasHistory(request)) return null
  return (
    <section className="card" aria-labelledby="decisions-title">
      <h2 id="decisions-title">Decisions on this call</h2>
      <ul className="plain-list">
        {decisions.map((decision) => (
          <li key={decision.decisionId}>
            <span className="grow break">
              <strong>
                {decision.person.name} {verbOf(request, decision)}
              </strong>
              {revisions.length > 1 && ` revision ${decision.revision}`}
              {decision.scope !== null && ` ${reachWords[decision.scope]}`}
              {decision.then === 'stop' && ' and stopped the run'}
              <Reason text={decision.reason} />
              {decision.selfApproved && <span className="mark">self-approved</span>}
              {decision.edited && <span className="mark">edited by the decider</span>}
              {decision.signedWith !== null && (
                <span className="mark mark-good">
                  signed with passkey <VisibleText text={decision.signedWith} />
                </span>
              )}
            </span>
            <span className="dim small">
              <Time at={decision.at} />
            </span>
          </li>
        ))}
        {revisions.length > 1 &&
          revisions.map((revision) => (
            <li key={revision.revision}>
              <span className="grow break">
                Revision {revision.revision}{' '}
                {revision.editor === null ? 'by the agent' : `by ${revision.editor.name}`}
                <Reason text={revision.reason} />
              </span>
              <span className="dim small">
                <Time at={revision.at} />
              </span>
            </li>
          ))}
        {previous.map((earlier) => (
          <li key={earlier.requestId}>
            <span className="grow break">
              <Link to={`/requests/${earlier.requestId}`}>An earlier request</Link> for this call{' '}
              {endWords[earlier.state]}
              {earlier.decidedBy !== null && ` by ${earlier.decidedBy}`}
              <Reason text={earlier.reason} />
            </span>
          </li>
        ))}
      </ul>
      {request.runId !== null && request.state === 'approved' && isRemembered(request) && (
        <GrantOfRequest requestId={request.id} runId={request.runId} />
      )}
    </section>
  )
}

/** Whether an approval of the request goes further than its call. */
function isRemembered({ decisions }: RequestDetail): boolean {
  return decisions.some(({ scope }) => scope !== null && scope !== 'once')
}

function Reason({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <>
      {' '}
      — “<VisibleText text={text} />”
    </>
  )
}

/** What became of an earlier request for the same call. */
const endWords: Readonly<Record<RequestState, string>> = {
  pending: 'waits',
  approved: 'was approved',
  denied: 'was denied',
  expired: 'expired',
  cancelled: 'was cancelled',
}

function verbOf({ kind }: RequestDetail, { decision }: DecisionView): string {
  if (kind === 'question') return 'answered'
  return decision === 'approve' ? 'approved' : 'denied'
}
