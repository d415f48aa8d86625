import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { errorMessage } from '#domain/error-message.ts'
import { ApiRefusal, callApi } from '../api/call-api.ts'
import type { SignInLink } from './sign-in-link.ts'
import { takePageAfterLink } from './page-after-link.ts'
import './sign-in.css'

/**
 * The page of a one-time link. It sends the token in a POST; for a mailed link only when the person
 * presses the button. While another person is signed in here, the service first refuses the link,
 * and this page lets the person choose, since somebody else may have sent it. The token is in the
 * fragment, so that no server logs it and no preview of the link uses it.
 */
export function LinkPage({ link }: { link: SignInLink }) {
  const { token, isMailed, returnTo } = link
  const client = useQueryClient()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [otherPerson, setOtherPerson] = useState<string | null>(null)
  const [busy, setBusy] = useState(!isMailed)
  const signIn = useCallback(
    (consent: { readonly replaceSession?: true }) => {
      setBusy(true)
      callApi('signInWithLink', { body: { token, ...consent } }).then(
        () => {
          client.clear()
          if (returnTo !== null) return window.location.replace(returnTo)
          void navigate(isMailed ? takePageAfterLink() : '/', { replace: true })
        },
        (error: unknown) => {
          setBusy(false)
          const name = otherPersonIn(error)
          if (name === null) setRefusal(errorMessage(error))
          else setOtherPerson(name)
        },
      )
    },
    [client, isMailed, navigate, returnTo, token],
  )
  useEffect(() => {
    // Removes the token from the address and the history first.
    window.history.replaceState(null, '', window.location.pathname)
    if (!isMailed) signIn({})
  }, [isMailed, signIn])
  return (
    <main className="sign-in">
      <div className="card sign-in-card column">
        <img src="/favicon.svg" width="40" height="40" alt="" />
        <h1>{titleOf({ refusal, otherPerson, busy, byProvider: returnTo !== null })}</h1>
        {refusal === null && otherPerson === null && isMailed && (
          <Button loading={busy} onClick={() => signIn({})}>
            Sign in on this device
          </Button>
        )}
        {refusal === null && otherPerson !== null && (
          <>
            <p role="alert" className="break">
              You are signed in as {otherPerson}. This link ends that session, and signs in somebody
              else, as whom you would then act here. Use it only if you requested it yourself.
            </p>
            <Button component={Link} to="/" replace>
              Stay signed in as {otherPerson}
            </Button>
            <Button
              variant="default"
              loading={busy}
              onClick={() => signIn({ replaceSession: true })}
            >
              Sign in with this link
            </Button>
          </>
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

/** Who is signed in here, if the link was refused for that; else null. */
function otherPersonIn(error: unknown): string | null {
  if (!(error instanceof ApiRefusal) || error.code !== 'conflict') return null
  const signedInAs = error.facts['signedInAs']
  return typeof signedInAs === 'string' ? signedInAs : null
}

interface LinkState {
  readonly refusal: string | null
  readonly otherPerson: string | null
  readonly busy: boolean
  readonly byProvider: boolean
}

function titleOf({ refusal, otherPerson, busy, byProvider }: LinkState): string {
  if (refusal !== null) {
    return byProvider ? 'You are not signed in' : 'This link does not sign you in'
  }
  if (busy) return 'Signing in…'
  return otherPerson === null ? 'Sign in to Countersign' : 'This link is for somebody else'
}
