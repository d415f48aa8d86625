import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'
import { useMe } from '../api/queries.ts'
import { Failure } from '../states/failure.tsx'
import { Moment } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'

/** Keys that a colleague proposed, which this person alone can claim; hidden if none. */
export function KeyProposals({
  act,
}: {
  act: (work: () => Promise<object>, message: string) => Promise<boolean>
}) {
  const { person } = useMe()
  const proposals = useQuery({
    queryKey: ['keys', 'proposals'],
    queryFn: ({ signal }) =>
      everyPage((page) => callApi('listKeyProposals', { query: page, signal })),
  })
  if (proposals.isLoadingError) {
    return <Failure query={proposals} />
  }
  const ownProposals =
    proposals.data?.items.filter((proposal) => proposal.owner.id === person.id) ?? []
  if (ownProposals.length === 0) return null
  return (
    <div className="column">
      <h3>Keys proposed to you</h3>
      <p className="dim small">
        Only you can claim these keys, and only you see them. You and the proposer are both behind
        what the keys do, so neither of you can decide it.
      </p>
      <ul className="plain-list">
        {ownProposals.map(({ id, name, proposedBy, scopes, expiresAt }) => (
          <li key={id} className="account-row">
            <span className="grow break">
              <VisibleText text={name} />
              <br />
              <span className="dim small">
                proposed by <VisibleText text={proposedBy.name} /> ({proposedBy.email}) ·{' '}
                {scopes.join(', ')} · waits until <Moment at={expiresAt} />
              </span>
            </span>
            <span className="row">
              <Button
                size="compact-sm"
                aria-label={`Claim ${name}, proposed by ${proposedBy.name}`}
                onClick={() =>
                  void act(() => callApi('claimKey', { params: { id } }), 'The key is yours')
                }
              >
                {verbs.claim}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Decline ${name}, proposed by ${proposedBy.name}`}
                onClick={() =>
                  void act(
                    () => callApi('declineKey', { params: { id } }),
                    'The proposal was declined',
                  )
                }
              >
                {verbs.decline}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
