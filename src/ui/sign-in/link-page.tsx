import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { callApi } from '../api/call-api.ts'
import './sign-in.css'

/** A link's token. `mailed`: programs that look into mail have opened it too, so its page waits for a person. */
export interface SignInLink {
  readonly token: string
  readonly mailed: boolean
}

/** The link in the page's address, if it is one. */
export function readSignInLink(): SignInLink | null {
  const behind = new URLSearchParams(window.location.hash.slice(1))
  const mailed = behind.get('mailed')
  const token = mailed ?? behind.get('link')
  return token === null ? null : { token, mailed: mailed !== null }
}

/**
 * Where a one-time link leads: it hands the token over in a POST, one that was mailed only when the button is pressed.
 * The token stands after `#`, so that it reaches no server's log and no preview of the link uses it up.
 */
export function LinkPage({ link }: { link: SignInLink }) {
  const { token, mailed } = link
  const client = useQueryClient()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(!mailed)
  const signIn = useCallback(() => {
    setBusy(true)
    callApi('/v1/auth/link', { body: { token } }).then(
      () => {
        client.clear()
        void navigate('/', { replace: true })
      },
      (error: unknown) => setRefusal((error as Error).message),
    )
  }, [client, navigate, token])
  useEffect(() => {
    // Gone from the address and the history before anything else happens.
    window.history.replaceState(null, '', window.location.pathname)
    if (!mailed) signIn()
  }, [mailed, signIn])
  return (
    <main className="sign-in">
      <div className="card sign-in-card column">
        <img src="/favicon.svg" width="40" height="40" alt="" />
        <h1>{titleOf(refusal, busy)}</h1>
        {refusal === null && mailed && (
          <Button loading={busy} onClick={signIn}>
            Sign in on this device
          </Button>
        )}
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

function titleOf(refusal: string | null, busy: boolean): string {
  if (refusal !== null) return 'This link does not sign you in'
  return busy ? 'Signing in…' : 'Sign in to Countersign'
}
