import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { callApi } from '../api/call-api.ts'
import type { SignInLink } from './sign-in-link.ts'
import './sign-in.css'

/**
 * Where a one-time link leads: it hands the token over in a POST, one that was mailed only when the
 * button is pressed. The token stands after `#`, so that it reaches no server's log and no preview
 * of the link uses it up.
 */
export function LinkPage({ link }: { link: SignInLink }) {
  const { token, mailed, returnTo } = link
  const client = useQueryClient()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(!mailed)
  const signIn = useCallback(() => {
    setBusy(true)
    callApi('signInWithLink', { body: { token } }).then(
      () => {
        client.clear()
        if (returnTo !== null) return window.location.replace(returnTo)
        void navigate('/', { replace: true })
      },
      (error: unknown) => setRefusal((error as Error).message),
    )
  }, [client, navigate, returnTo, token])
  useEffect(() => {
    // Gone from the address and the history before anything else happens.
    window.history.replaceState(null, '', window.location.pathname)
    if (!mailed) signIn()
  }, [mailed, signIn])
  return (
    <main className="sign-in">
      <div className="card sign-in-card column">
        <img src="/favicon.svg" width="40" height="40" alt="" />
        <h1>{titleOf(refusal, busy, returnTo !== null)}</h1>
        {refusal === null && mailed && (
          <Button loading={busy} onClick={signIn}>
            Sign in on this device
          </Button>
        )}
        {refusal !== null && (
          <>
            <p role="alert">{refusal}</p>
            {returnTo === null ? (
              <p className="dim">
                A link works once, for 15 minutes. Make another one where the service runs, or{' '}
                <Link to="/">sign in another way</Link>.
              </p>
            ) : (
              <p className="dim">
                Finish a sign-in in the browser in which you started it.{' '}
                <Link to="/">Sign in again</Link>.
              </p>
            )}
          </>
        )}
      </div>
    </main>
  )
}

function titleOf(refusal: string | null, busy: boolean, byProvider: boolean): string {
  if (refusal !== null) {
    return byProvider ? 'You are not signed in' : 'This link does not sign you in'
  }
  return busy ? 'Signing in…' : 'Sign in to Countersign'
}
