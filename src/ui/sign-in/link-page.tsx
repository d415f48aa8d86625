import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { callApi } from '../api/call-api.ts'
import type { SignInLink } from './sign-in-link.ts'
import { takePageAfterLink } from './page-after-link.ts'
import './sign-in.css'

/**
 * The page of a one-time link. It sends the token in a POST; for a mailed link only when the person
 * presses the button. The token is in the fragment, so that no server logs it and no preview of the
 * link uses it.
 */
export function LinkPage({ link }: { link: SignInLink }) {
  const { token, isMailed, returnTo } = link
  const client = useQueryClient()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(!isMailed)
  const signIn = useCallback(() => {
    setBusy(true)
    callApi('signInWithLink', { body: { token } }).then(
      () => {
        client.clear()
        if (returnTo !== null) return window.location.replace(returnTo)
        void navigate(isMailed ? takePageAfterLink() : '/', { replace: true })
      },
      (error: unknown) => setRefusal((error as Error).message),
    )
  }, [client, isMailed, navigate, returnTo, token])
  useEffect(() => {
    // Removes the token from the address and the history first.
    window.history.replaceState(null, '', window.location.pathname)
    if (!isMailed) signIn()
  }, [isMailed, signIn])
  return (
    <main className="sign-in">
      <div className="card sign-in-card column">
        <img src="/favicon.svg" width="40" height="40" alt="" />
        <h1>{titleOf(refusal, busy, returnTo !== null)}</h1>
        {refusal === null && isMailed && (
          <Button loading={busy} onClick={signIn}>
            Sign in on this device
          </Button>
        )}
        {refusal !== null && (
          <>
            <p role="alert">{refusal.replace(/\.?$/, '.')}</p>
            {returnTo === null ? (
              <p className="dim">
                <Link to="/">Sign in another way</Link>
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
