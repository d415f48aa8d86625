import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { ApiRefusal, isSessionEnd, isSessionOfOther, onOtherSession } from '../api/call-api.ts'
import { meQuery } from '../api/queries.ts'
import { clearDevice } from '../push/device-notices.ts'
import { useOpenedNotices } from '../push/use-opened-notices.ts'
import { discardDecisions, sayLost } from '../sending/lost-decisions.ts'
import { fontFaces } from '../styles/font-faces.ts'
import { Failure } from '../states/failure.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'

const SignInPage = later(() => import('./sign-in-page.tsx').then((module) => module.SignInPage))

/** How long a page that loads anew waits until the notices of this device are removed. */
const clearMs = 1_000

/**
 * Shows `children` to a signed-in person, and the sign-in page to everybody else. The fonts, and
 * `page`, which the children show first, load beside the person.
 */
export function SignedIn({ page, children }: { page: Promise<unknown>; children: ReactNode }) {
  const me = useQuery(meQuery)
  const client = useQueryClient()
  const signedOut = isSessionEnd(me.error)
  const isOther = me.data !== undefined && isSessionOfOther(me.data.person.id)
  useOpenedNotices()
  useEffect(() => void sayLost(), [])
  useEffect(
    () => onOtherSession(() => void client.invalidateQueries({ queryKey: meQuery.queryKey })),
    [client],
  )
  useEffect(() => {
    // The next person must not see cached data of this one.
    if (!signedOut) return
    client.removeQueries({ type: 'inactive' })
    void clearDevice().catch(() => undefined)
  }, [signedOut, client])
  useEffect(() => {
    // Somebody else signed in in this browser. Nothing in the memory of this page is theirs.
    if (!isOther) return
    discardDecisions()
    const bound = new Promise((resolve) => setTimeout(resolve, clearMs))
    void Promise.race([clearDevice(), bound])
      .catch(() => undefined)
      .finally(() => window.location.reload())
  }, [isOther])
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    void Promise.allSettled([fontFaces, page]).then(() => setReady(true))
  }, [page])
  if (me.data !== undefined && !signedOut && !isOther && isReady) return children
  if (signedOut) {
    return <SignInPage hasEnded={me.data !== undefined} refusal={unprovenIn(me.error)} />
  }
  return (
    <main className="content">
      {me.error === null ? (
        <Loading what="the dashboard" lines={5} />
      ) : (
        <Failure query={me} isPage />
      )}
    </main>
  )
}

/** Why the service does not accept the session of this browser. */
function unprovenIn(error: Error | null): string | null {
  return error instanceof ApiRefusal && error.code === 'session_unproven' ? error.message : null
}
