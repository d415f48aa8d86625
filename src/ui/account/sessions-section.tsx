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
import { later } from '../states/later.tsx'

const QrCode = later(
  () => import('./qr-code.tsx').then((module) => module.QrCode),
  () => <Loading what="the code" lines={4} />,
)

const methodWords: Record<SessionView['method'], string> = {
  development: 'development sign-in',
  link: 'one-time link',
  oidc: 'sign-in provider',
  passkey: 'passkey',
}

/**
 * The number of sessions that are listed at first, so that they leave room for the other settings.
 */
const initialCount = 5

/** The person's sessions. Ending another session also ends its streams at once. */
export function SessionsSection() {
  const act = useAct(['sessions'])
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => everyPage((page) => callApi('listSessions', { query: page, signal })),
  })
  const items = sessions.data?.items ?? []
  const [showsAll, setShowsAll] = useState(false)
  const visible = showsAll ? items : items.slice(0, initialCount)
  const end = (id: string) =>
    act(() => callApi('endSession', { params: { id } }), 'The session ended')
  const endOthers = () =>
    act(() => callApi('endOtherSessions', { body: {} }), 'All other sessions ended')
  return (
    <section className="card column" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <p className="dim small">
        The sessions in which you are signed in. End those that you do not know or no longer use.
      </p>
      {sessions.isPending && <Loading what="your sessions" lines={3} />}
      {sessions.isError && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      <ul className="plain-list">
        {visible.map((session) => (
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
      {visible.length < items.length && (
        <div>
          <Button size="compact-sm" variant="default" onClick={() => setShowsAll(true)}>
            Show {items.length - visible.length} more
          </Button>
        </div>
      )}
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

/** A one-time sign-in link, as a QR code for a phone and a command for a terminal. */
function AnotherDevice() {
  const { person } = useMe()
  const [url, setUrl] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const make = async (): Promise<void> => {
    setRefusal(null)
    try {
      const { url } = await callApi('createSignInLink', { params: { email: person.email } })
      setUrl(url)
    } catch (error) {
      setRefusal((error as Error).message)
    }
  }
  if (url !== null) return <OneTimeLink url={url} name={person.name} onDone={() => setUrl(null)} />
  return (
    <div>
      <Button variant="default" onClick={() => void make()}>
        Sign in another device
      </Button>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </div>
  )
}

function OneTimeLink({ url, name, onDone }: { url: string; name: string; onDone: () => void }) {
  return (
    <div className="column" role="status">
      <p className="small">
        Signs in as {name}, once, within 15 minutes. Show it to nobody: the first person who scans
        it is signed in as you.
      </p>
      {isOfThisMachine(url) ? (
        <p className="small">
          This service has an address on this machine only, which a phone does not reach:{' '}
          <code>COUNTERSIGN_PUBLIC_URL</code> gives it another.
        </p>
      ) : (
        <p className="small">Scan it with your phone:</p>
      )}
      <QrCode text={url} label="QR code of the sign-in link" />
      <p className="small">Or in a terminal:</p>
      <Command text={`countersign login "${url}"`} />
      <div>
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}

function isOfThisMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]'
}
