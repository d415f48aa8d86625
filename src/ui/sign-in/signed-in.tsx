import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useEffect, useState, type ReactNode } from 'react'
import { ApiRefusal, onOtherSession } from '../api/call-api.ts'
import { meQuery } from '../api/queries.ts'
import { clearDevice } from '../push/device-notices.ts'
import { useOpenedNotices } from '../push/use-opened-notices.ts'
import { fontFaces } from '../styles/font-faces.ts'
import { Failure } from '../states/failure.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'

const SignInPage = later(() => import('./sign-in-page.tsx').then((module) => module.SignInPage))

/**
 * Shows `children` to a signed-in person, and the sign-in page to everybody else. The fonts, and
 * `page`, which the children show first, load beside the person.
 */
export function SignedIn({ page, children }: { page: Promise<unknown>; children: ReactNode }) {
  const me = useQuery(meQuery)
  const client = useQueryClient()
  const signedOut = isSignedOut(me.error)
  useOpenedNotices()
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
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    void Promise.allSettled([fontFaces, page]).then(() => setReady(true))
  }, [page])
  if (me.data !== undefined && !signedOut && isReady) {
    // What one person typed and chose is not there for the next one, who signed in in another tab.
    return <Fragment key={me.data.person.id}>{children}</Fragment>
  }
  if (signedOut) {
    return <SignInPage hasEnded={me.data !== undefined} refusal={unprovenIn(me.error)} />
  }
  return (
    <main className="content">
      {me.error === null ? (
        <Loading what="the dashboard" lines={5} />
      ) : (
        <Failure error={me.error} retry={() => void me.refetch()} />
      )}
    </main>
  )
}

/** Why the service does not accept the session of this browser. */
function unprovenIn(error: Error | null): string | null {
  return error instanceof ApiRefusal && error.code === 'session_unproven' ? error.message : null
}

function isSignedOut(error: Error | null): boolean {
  return error instanceof ApiRefusal && error.status === 401
}
