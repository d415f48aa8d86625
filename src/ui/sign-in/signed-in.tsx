import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, type ReactNode } from 'react'
import { ApiRefusal } from '../api/call-api.ts'
import { meQuery } from '../api/queries.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'

const SignInPage = lazy(() =>
  import('./sign-in-page.tsx').then((module) => ({ default: module.SignInPage })),
)

/** Shows `children` to whoever is signed in, and the sign-in page in their place to everybody else. */
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useQuery(meQuery)
  if (me.data !== undefined && !isSignedOut(me.error)) return children
  if (isSignedOut(me.error)) {
    return (
      <Suspense fallback={null}>
        <SignInPage />
      </Suspense>
    )
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

function isSignedOut(error: Error | null): boolean {
  return error instanceof ApiRefusal && error.status === 401
}
