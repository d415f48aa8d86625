import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SessionView } from '#api/schemas/access/sessions.ts'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'
import { useAct } from '../states/use-act.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Time } from '../text/time.tsx'
import { useState } from 'react'
import { useMe } from '../api/queries.ts'
import { Command } from '../states/command.tsx'

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
    queryFn: ({ signal }) => everyPage((page) => callApi('listSessions', { query: page, signal })),
  })
  const items = sessions.data?.items ?? []
  const end = (id: string) =>
    act(() => callApi('endSession', { params: { id } }), 'The session ended')
  const endOthers = () =>
    act(() => callApi('endOtherSessions', { body: {} }), 'All other sessions ended')
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

/** A one-time link for oneself: for a terminal, or a phone. */
function AnotherDevice() {
  const { person } = useMe()
  const [url, setUrl] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const make = async (): Promise<void> => {
    try {
      const { url } = await callApi('createSignInLink', { params: { email: person.email } })
      setUrl(url)
    } catch (error) {
      setRefusal((error as Error).message)
    }
  }
  if (url !== null) {
    return (
      <div className="column" role="status">
        <p className="small">
          Signs you in once, within 15 minutes. In a terminal, or by opening the link elsewhere:
        </p>
        <Command text={`countersign login "${url}"`} />
      </div>
    )
  }
  return (
    <div>
      <Button variant="default" onClick={() => void make()}>
        Sign in another device
      </Button>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </div>
  )
}
