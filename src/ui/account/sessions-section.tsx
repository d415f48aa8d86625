import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { errorMessage } from '#domain/error-message.ts'
import type { SessionView } from '#api/schemas/access/sessions.ts'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { absoluteTime, Time } from '../text/time.tsx'
import { useEffect, useRef, useState } from 'react'
import { useMe } from '../api/queries.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Command } from '../states/command.tsx'
import { later } from '../states/later.tsx'
import { useFocusReturn } from '../states/use-focus-return.ts'
import { verbs } from '../words/verbs.ts'

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

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => everyPage((page) => callApi('listSessions', { query: page, signal })),
})

/** The person's sessions. Ending another session also ends its streams at once. */
export function SessionsSection() {
  const title = useRef<HTMLHeadingElement>(null)
  const sessions = useQuery(sessionsQuery)
  const items = sessions.data?.items ?? []
  const [showsAll, setShowsAll] = useState(false)
  const visible = showsAll ? items : items.slice(0, initialCount)
  const end = async (call: Promise<unknown>, message: string): Promise<void> => {
    await call
    announce(message)
    // The row that has the focus is removed.
    title.current?.focus()
  }
  return (
    <section className="card column" aria-labelledby="sessions-title">
      <h2 id="sessions-title" ref={title} tabIndex={-1}>
        Sessions
      </h2>
      <p className="dim small">
        The sessions in which you are signed in. End those that you do not know or no longer use.
      </p>
      {sessions.isPending && <Loading what="your sessions" lines={3} />}
      <Failure query={sessions} />
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
              <ConfirmButton
                label="End"
                row={`the session on ${session.device}, started ${absoluteTime(session.createdAt)}`}
                confirm="End the session"
                cancelLabel={verbs.cancel}
                reason={null}
                act={() =>
                  end(callApi('endSession', { params: { id: session.id } }), 'The session ended')
                }
                card={{
                  title: `End the session on ${session.device}?`,
                  text: 'It is signed out at once.',
                }}
              />
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
          <ConfirmButton
            label="End all other sessions"
            confirm="End them"
            cancelLabel={verbs.cancel}
            reason={null}
            act={() => end(callApi('endOtherSessions', { body: {} }), 'All other sessions ended')}
            card={{
              title: 'End all other sessions?',
              text: 'Every other browser, phone and terminal in which you are signed in is signed out at once.',
            }}
          />
        )}
      </div>
    </section>
  )
}

/** A sign-in link that was made here, and the sessions that there were before it. */
interface MadeLink {
  readonly url: string
  readonly sessionsBefore: ReadonlySet<string>
  readonly endsAtMs: number
}

/**
 * How long the service lets a link sign somebody in. The instant in its answer is not used, since
 * the clock of this device may be wrong.
 */
const linkLastsMs = 15 * 60_000

/** A one-time sign-in link, as a QR code for a phone and a command for a terminal. */
function AnotherDevice() {
  const { person } = useMe()
  const client = useQueryClient()
  const [link, setLink] = useState<MadeLink | null>(null)
  const [result, setResult] = useState<string | null>(null)
  const button = useFocusReturn<HTMLButtonElement>(link !== null)
  const make = async (): Promise<void> => {
    setResult(null)
    try {
      const { items } = await client.fetchQuery(sessionsQuery)
      const { url } = await callApi('createSignInLink', { params: { email: person.email } })
      const sessionsBefore = new Set(items.map(({ id }) => id))
      setLink({ url, sessionsBefore, endsAtMs: Date.now() + linkLastsMs })
    } catch (error) {
      setResult(errorMessage(error))
    }
  }
  const end = (outcome: string | null): void => {
    setLink(null)
    setResult(outcome)
  }
  if (link !== null) return <OneTimeLink link={link} name={person.name} onDone={end} />
  return (
    <div>
      <Button ref={button} variant="default" onClick={() => void make()}>
        Sign in another device
      </Button>
      {result !== null && (
        <p role="alert" className="small">
          {result}
        </p>
      )}
    </div>
  )
}

/** How often the page looks whether the link was used. */
const lookEveryMs = 2_000

/**
 * `onDone` gets what became of the link as a sentence, or null from the button. The panel ends with
 * its link, because each look at the sessions counts as use of this one.
 */
function OneTimeLink(props: {
  link: MadeLink
  name: string
  onDone: (outcome: string | null) => void
}) {
  const { name, onDone } = props
  const { url, sessionsBefore, endsAtMs } = props.link
  const panel = useRef<HTMLDivElement>(null)
  const { data } = useQuery({ ...sessionsQuery, refetchInterval: lookEveryMs })
  const added = data?.items.find(({ id, method }) => method === 'link' && !sessionsBefore.has(id))
  useEffect(() => panel.current?.focus(), [])
  useEffect(() => {
    if (added !== undefined) onDone(`${added.device} is signed in.`)
  }, [added, onDone])
  useEffect(() => {
    const timer = setTimeout(() => onDone('The link no longer works.'), endsAtMs - Date.now())
    return () => clearTimeout(timer)
  }, [endsAtMs, onDone])
  return (
    <div ref={panel} tabIndex={-1} className="column" role="group" aria-label="Sign-in link">
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
        <Button variant="default" onClick={() => onDone(null)}>
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
