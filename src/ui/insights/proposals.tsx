import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { PolicyChangeView } from '#api/schemas/policy/changes.ts'
import type { RuleProposalView } from '#api/schemas/requests/insights.ts'
import { callApi } from '../api/call-api.ts'
import { policyChangesQuery } from '../api/queries.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { useAct } from '../states/use-act.ts'
import { useAttempt } from '../states/use-attempt.ts'
import { copyText } from '../text/copy-text.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { RequestNumbers } from './request-numbers.tsx'
import { withinInWords } from './seconds-in-words.ts'

/**
 * Rules whose calls were always approved: a change that pre-approves each, and the past calls that
 * it would have let through.
 */
export function Proposals() {
  const proposals = useQuery({
    queryKey: ['insights', 'proposals'],
    queryFn: ({ signal }) => callApi('listRuleProposals', { signal }),
    staleTime: 60_000,
  })
  const changes = useQuery(policyChangesQuery)
  return (
    <section className="card column" aria-labelledby="proposals-title">
      <h2 id="proposals-title">Rules that are always approved</h2>
      <p className="dim small">
        They asked at least ten times in 30 days, and every request was approved unchanged.
      </p>
      {proposals.isPending && <Loading what="rules" lines={3} />}
      <Failure query={proposals} />
      {proposals.data?.items.length === 0 && <p className="small">None at present.</p>}
      {proposals.data?.items.map((proposal) => (
        <Proposal
          key={proposal.id}
          proposal={proposal}
          change={changes.data?.items.find(
            ({ worker, rule }) => worker === proposal.worker && rule.id === proposal.rule.id,
          )}
        />
      ))}
    </section>
  )
}

function Proposal({
  proposal,
  change,
}: {
  proposal: RuleProposalView
  /** the open proposal of this rule, if the person may see one */
  change: PolicyChangeView | undefined
}) {
  const act = useAct(policyChangesQuery.queryKey)
  const { attempt, busy } = useAttempt()
  const propose = () =>
    act(
      () => callApi('proposePolicyChange', { body: { proposal: proposal.id } }),
      'The change is proposed',
    )
  const { worker, rule, file, patch, evidence, replay } = proposal
  return (
    <article className="proposal column" aria-label={`${worker}: ${rule.id}`}>
      <h3>
        <VisibleText text={worker} />: <VisibleText text={rule.text} />
      </h3>
      <p>
        Approved {evidence.approved} of {evidence.asked} times, half of them{' '}
        {withinInWords(evidence.medianSeconds)}:{' '}
        <NewestRequests numbers={evidence.requests} of={evidence.asked} />.
      </p>
      <p>
        {replay.problem === null ? (
          <>
            With the change {replay.wouldRunAlone} of the last {replay.calls} calls of this worker
            that asked would have run without approval
            {replay.wouldRunAlone > 0 && (
              <>
                : <NewestRequests numbers={replay.requests} />
              </>
            )}
            .
          </>
        ) : (
          <>The calls that it would have pre-approved are not known: {replay.problem}.</>
        )}
      </p>
      <div role="group" aria-label={`Change of ${file}`}>
        <LinesView text={patch} showFinalNewline={false} tone="diff" />
      </div>
      <div className="row">
        {change === undefined ? (
          <Button onClick={() => void attempt(propose)} loading={busy}>
            Propose as a policy version
          </Button>
        ) : (
          <span className="small">
            <Link to="/policy#changes">Proposed as change {change.number}</Link> by{' '}
            <VisibleText text={change.proposedBy.name} />
          </span>
        )}
        <Button variant="default" onClick={() => void copyText(patch, 'Change')}>
          Copy the change
        </Button>
      </div>
      {change === undefined && (
        <p className="dim small">
          Proposing permits nothing: people who may activate policy see the change on{' '}
          <Link to="/policy">Policy</Link>.
        </p>
      )}
    </article>
  )
}

/** How many requests of a list are named. */
const namedCount = 10

/** The newest requests by number, and how many more of `of` there are. */
function NewestRequests({
  numbers,
  of = numbers.length,
}: {
  numbers: readonly number[]
  of?: number
}) {
  const more = of - namedCount
  return (
    <>
      <RequestNumbers numbers={numbers.slice(0, namedCount)} />
      {more > 0 && ` and ${more} more`}
    </>
  )
}
