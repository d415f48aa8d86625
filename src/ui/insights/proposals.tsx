import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { RuleProposalView } from '#api/schemas/requests/insights.ts'
import { callApi } from '../api/call-api.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { copyText } from '../text/copy-text.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { RequestNumbers } from './request-numbers.tsx'
import { secondsInWords } from './seconds-in-words.ts'

/** Rules that asked in vain: what would pre-approve each, and what that would have let through. */
export function Proposals() {
  const proposals = useQuery({
    queryKey: ['insights', 'proposals'],
    queryFn: ({ signal }) => callApi('listRuleProposals', { signal }),
    staleTime: 60_000,
  })
  return (
    <section className="card column" aria-labelledby="proposals-title">
      <h2 id="proposals-title">Rules that are always approved</h2>
      <p className="dim small">
        They asked at least ten times in 30 days, and every request was approved unchanged.
      </p>
      {proposals.isPending && <Loading what="rules" lines={3} />}
      {proposals.isError && (
        <Failure error={proposals.error} retry={() => void proposals.refetch()} />
      )}
      {proposals.data?.items.length === 0 && <p>None at present.</p>}
      {proposals.data?.items.map((proposal) => (
        <Proposal key={proposal.id} proposal={proposal} />
      ))}
    </section>
  )
}

function Proposal({ proposal }: { proposal: RuleProposalView }) {
  const { worker, rule, file, patch, evidence, replay } = proposal
  return (
    <article className="proposal column" aria-label={`${worker}: ${rule.id}`}>
      <h3>
        <VisibleText text={worker} />: <VisibleText text={rule.text} />
      </h3>
      <p>
        Approved {evidence.approved} of {evidence.asked} times, half of them within{' '}
        {secondsInWords(evidence.medianSeconds)}:{' '}
        <RequestNumbers numbers={evidence.requests.slice(0, 10)} />
        {evidence.requests.length > 10 && ` and ${evidence.asked - 10} more`}.
      </p>
      <p>
        {replay.problem === null ? (
          <>
            With the change {replay.wouldRunAlone} of the last {replay.calls} calls of this worker
            that asked would have run without approval.
          </>
        ) : (
          <>The calls that it would have pre-approved are not known: {replay.problem}.</>
        )}
      </p>
      <pre className="patch" aria-label={`Change of ${file}`}>
        <VisibleText text={patch} />
      </pre>
      <div className="row">
        <Button variant="default" onClick={() => void copyText(patch, 'Change')}>
          Copy the change
        </Button>
        <span className="dim small">
          Apply it in the project folder with <code>git apply</code>, then activate the version on{' '}
          <Link to="/policy">Policy</Link>.
        </span>
      </div>
    </article>
  )
}
