import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { callApi } from '../api/call-api.ts'
import './sign-in.css'

/**
 * Where a one-time link leads: it hands the token over in a POST. The token stands after `#`, so that
 * it reaches no server's log and no preview of the link uses it up.
 */
export function LinkPage({ token }: { token: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string | null>(null)
  useEffect(() => {
    // Gone from the address and the history before anything else happens.
    window.history.replaceState(null, '', window.location.pathname)
    callApi('/v1/auth/link', { body: { token } }).then(
      () => {
        client.clear()
        void navigate('/', { replace: true })
      },
      (error: unknown) => setRefusal((error as Error).message),
    )
  }, [client, navigate, token])
  return (
    <main className="sign-in">
      <div className="card sign-in-card column">
        <img src="/favicon.svg" width="40" height="40" alt="" />
        <h1>{refusal === null ? 'Signing in…' : 'This link does not sign you in'}</h1>
        {refusal !== null && (
          <>
            <p role="alert">{refusal}</p>
            <p className="dim">
              A link works once, for 15 minutes. Make another one where the service runs, or{' '}
              <Link to="/">sign in another way</Link>.
            </p>
          </>
        )}
      </div>
    </main>
  )
}
