import { Button } from '@mantine/core'
import { IconCloudOff, IconEyeOff, IconMoodConfuzed } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { ApiRefusal, callApi, isSessionEnd } from '../api/call-api.ts'
import { verbs } from '../words/verbs.ts'
import './states.css'

/**
 * Why a query failed, and what to do next; nothing if it did not fail. After an outage it is loaded
 * again. `isPage`: it stands in place of the page, not inside one of its parts. `whole` is the page
 * without its filters: the service refuses a filter that can match nothing, and then another
 * attempt cannot help.
 */
export function Failure(props: {
  query: { readonly error: Error | null; readonly refetch: () => unknown }
  isPage?: boolean
  whole?: { readonly to: string; readonly words: string }
}) {
  const { query, isPage = false, whole } = props
  const { error } = query
  const retry = (): void => void query.refetch()
  const refusal = error instanceof ApiRefusal ? error : null
  const offline = refusal?.code === 'network'
  useEndOfOutage(offline || refusal?.code === 'unavailable', retry)
  if (error === null) return null
  if (refusal?.status === 404 && isPage) return <NotFound />
  const Icon = offline ? IconCloudOff : refusal?.status === 403 ? IconEyeOff : IconMoodConfuzed
  const requestId = refusal?.facts['requestId']
  const title = titleOf(refusal)
  return (
    <div className={isPage ? 'state' : 'part-state'} role="alert">
      {isPage ? (
        <>
          <Icon className="state-icon" size={32} stroke={1.5} aria-hidden />
          <h2>{title}</h2>
        </>
      ) : (
        <p>{title}.</p>
      )}
      <p className="dim break">{error.message}</p>
      {typeof requestId === 'string' && (
        <p className="dim small">
          Its id in the log of the service: <code>{requestId}</code>.
        </p>
      )}
      {refusal?.code === 'invalid_request' && whole !== undefined ? (
        <Link to={whole.to}>{whole.words}</Link>
      ) : (
        <Button variant="default" onClick={retry}>
          {verbs.tryAgain}
        </Button>
      )}
    </div>
  )
}

const lookEveryMs = 5_000

/**
 * Calls `onEnd` when the service answers again. The event stream does not tell: if only the
 * database was away, it was not interrupted, and before the person is loaded there is none.
 */
function useEndOfOutage(isOutage: boolean, onEnd: () => void): void {
  const latest = useRef(onEnd)
  useEffect(() => {
    latest.current = onEnd
  })
  useEffect(() => {
    if (!isOutage) return undefined
    const look = (): Promise<void> =>
      callApi('getMe').then(
        () => latest.current(),
        (error: unknown) => {
          if (isSessionEnd(error)) latest.current()
        },
      )
    const timer = setInterval(() => void look(), lookEveryMs)
    return () => clearInterval(timer)
  }, [isOutage])
}

const hidden = 'Nothing here that you may see'

function titleOf(refusal: ApiRefusal | null): string {
  if (refusal?.status === 404) return hidden
  if (refusal?.code === 'network') return 'The service cannot be reached'
  if (refusal?.status === 403) return 'You may not see this'
  return 'This could not be loaded'
}

/**
 * The page for an address without an object that the person may see. It does not tell whether the
 * object exists.
 */
export function NotFound() {
  return (
    <div className="state">
      <IconEyeOff className="state-icon" size={32} stroke={1.5} aria-hidden />
      <h1 tabIndex={-1}>{hidden}</h1>
      <p className="dim">
        It does not exist, or it belongs to a team or run to which you do not belong. If a colleague
        sent you the link, check that you are signed in as the right person.
      </p>
      <Link to="/">Go to the inbox</Link>
    </div>
  )
}
