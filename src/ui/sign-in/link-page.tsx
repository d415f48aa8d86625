import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { callApi } from '../api/call-api.ts'
import './sign-in.css'

/**
 * What stands behind the `#` of a sign-in link, or of the page to which a sign-in provider sends
 * one back.
 */
export interface SignInLink {
  readonly token: string
  /** programs that look into mail have opened it too, so its page waits for a person */
  readonly mailed: boolean
  /** one comes from the provider, and goes on to this page of ours; null: it is a link */
  readonly returnTo: string | null
}

/** The link in the page's address, if it is one. */
export function readSignInLink(): SignInLink | null {
  const behind = new URLSearchParams(window.location.hash.slice(1))
  const mailed = behind.get('mailed')
  const provider = behind.get('provider')
  const token = mailed ?? provider ?? behind.get('link')
  if (token === null) return null
  const wanted = behind.get('return') ?? ''
  const isOurs = /^\/(?![/\\])/.test(wanted)
  const returnTo = provider === null ? null : isOurs ? wanted : '/'
  return { token, mailed: mailed !== null, returnTo }
}

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
