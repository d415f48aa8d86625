import { Button } from '@mantine/core'
import { Link } from 'react-router'
import type { GrantView } from '#api/schemas/policy/grants.ts'
import { callApi } from '../../api/call-api.ts'
import { useGrants } from '../../api/queries.ts'
import { Failure } from '../../states/failure.tsx'
import { useAct } from '../../states/use-act.ts'
import { Moment, Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { verbs } from '../../words/verbs.ts'

/** The grants of the root run: what each covers, who gave it, and a button that revokes it. */
export function Grants({ runId }: { runId: string }) {
  const grants = useGrants(runId)
  const items = grants.data?.items ?? []
  return (
    <section className="card" aria-labelledby="grants-title">
      <h2 id="grants-title">Remembered approvals</h2>
      <Failure query={grants} />
      {grants.isSuccess && items.length === 0 && (
        <p className="dim small">None: each call that asks opens a request.</p>
      )}
      <ul className="column">
        {items.map((grant) => (
          <Grant key={grant.id} grant={grant} runId={runId} />
        ))}
      </ul>
    </section>
  )
}

/** The grant that the approval of a request gave, with its uses and its end, if it gave one. */
export function GrantOfRequest({ requestId, runId }: { requestId: string; runId: string }) {
  const grants = useGrants(runId)
  const grant = grants.data?.items.find((one) => one.requestId === requestId)
  return (
    <ul>
      {grant !== undefined && <Grant grant={grant} runId={runId} />}
      {grants.isPending && <li className="dim small">Loading what is remembered…</li>}
      {grants.isError && (
        <li>
          <Failure query={grants} />
        </li>
      )}
    </ul>
  )
}

function Grant({ grant, runId }: { grant: GrantView; runId: string }) {
  const act = useAct(['run', runId])
  const revoke = () => act(() => callApi('revokeGrant', { params: { id: grant.id } }))
  return (
    <li className="small">
      <p>
        <code>{grant.tool}</code>{' '}
        {grant.scope === 'path' && grant.path !== null ? (
          <>
            on <VisibleText text={grant.path} />, any content
          </>
        ) : (
          'with exactly the arguments that were approved'
        )}
      </p>
      <p className="dim">
        <Link to={`/requests/${grant.requestId}`}>approved</Link> by {grant.grantedBy.name}{' '}
        <Time at={grant.createdAt} /> · used {grant.uses}
        {grant.usesAllowed !== null &&
          ` of ${grant.usesAllowed}, ${grant.usesAllowed - grant.uses} left`}
        {grant.expiresAt !== null && (
          <>
            {' '}
            · until <Moment at={grant.expiresAt} />
          </>
        )}
      </p>
      {grant.dormant !== null && (
        <p>
          Not effective now: <VisibleText text={grant.dormant} />
        </p>
      )}
      {grant.revokedAt === null && grant.endedAt === null ? (
        grant.canRevoke && (
          <Button size="compact-sm" variant="default" mt="xs" onClick={() => void revoke()}>
            {verbs.revoke}
          </Button>
        )
      ) : (
        <p>
          {grant.revokedAt === null
            ? 'Ended with the run'
            : `Revoked by ${grant.revokedBy?.name ?? 'somebody'}`}
        </p>
      )}
    </li>
  )
}
