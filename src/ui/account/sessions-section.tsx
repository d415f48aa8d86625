import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SessionList, SessionView } from '../../api/schemas/access/sessions.ts'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'
import { useAct } from '../api/use-act.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Time } from '../text/time.tsx'
import { AnotherDevice } from './another-device.tsx'

const methodWords: Record<SessionView['method'], string> = {
  development: 'development sign-in',
  link: 'one-time link',
  oidc: 'sign-in provider',
  passkey: 'passkey',
}

/** Where one is signed in. Another session ends at once, with what it holds open. */
export function SessionsSection() {
  const act = useAct(['sessions'])
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => everyPage<SessionList>('/v1/sessions', signal),
  })
  const items = sessions.data?.items ?? []
  const end = (id: string) =>
    act(() => callApi(`/v1/sessions/${id}`, { method: 'DELETE' }), 'The session ended')
  const endOthers = () =>
    act(() => callApi('/v1/sessions/end-others', { body: {} }), 'All other sessions ended')
  return (
    <section className="card column" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <p className="dim small">
        Where you are signed in. End what you do not know, and what you no longer use.
      </p>
      {sessions.isPending && <Loading what="your sessions" lines={3} />}
      {sessions.isError && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      <ul className="plain-list">
        {items.map((session) => (
          <li key={session.id} className="account-row">
            <span className="grow break">
              {session.device}
              {session.current && <span className="mark mark-good">this session</span>}
              <br />
              <span className="dim small">
                by {methodWords[session.method]} <Time at={session.createdAt} /> · last seen{' '}
                <Time at={session.lastSeenAt} /> · ends at the latest{' '}
                <Time at={session.expiresAt} />
              </span>
            </span>
            {!session.current && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`End the session on ${session.device}, started ${session.createdAt}`}
                onClick={() => void end(session.id)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="row">
        <AnotherDevice />
        {items.length > 1 && (
          <Button variant="default" onClick={() => void endOthers()}>
            End all other sessions
          </Button>
        )}
      </div>
    </section>
  )
}
