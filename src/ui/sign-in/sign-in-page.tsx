import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent, useEffect } from 'react'
import { callApi } from '../api/call-api.ts'
import { canHash } from '../api/digests.ts'
import { useAuthMethods } from '../api/queries.ts'
import { useHeldDecisions } from '../sending/held-decisions.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Command } from '../states/command.tsx'
import { useAttempt } from '../states/use-attempt.ts'
import { MailLink } from './mail-link.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import './sign-in.css'
import { signInRefusals, type SignInRefusal } from '#domain/sign-in-refusal.ts'
import { requestOf } from '#client/call.ts'
import { sessionProofHash } from '../api/session-proof.ts'
import { storeFragment } from './store-fragment.ts'

/**
 * The sign-in page. The address stays, so that a link of a colleague opens afterwards. `hasEnded`:
 * a session of this page has ended. `refusal`: why an existing session is not accepted.
 */
export function SignInPage({ hasEnded, refusal }: { hasEnded: boolean; refusal: string | null }) {
  const methods = useAuthMethods()
  return (
    <main className="sign-in">
      <div className="card sign-in-card column">
        <img src="/favicon.svg" width="40" height="40" alt="" />
        <h1>Sign in to Countersign</h1>
        {refusal !== null && <p role="status">{refusal}.</p>}
        {hasEnded && refusal === null && (
          <p role="status">
            Your session ended. Sign in to continue where you were: reasons, comments and changes
            that you typed are kept.
          </p>
        )}
        {hasEnded && <UnrecordedDecisions />}
        {methods.isPending && <Loading what="the ways to sign in" lines={2} />}
        <Failure query={methods} />
        <ProviderRefusal />
        {methods.data?.oidc &&
          (canHash ? (
            <ProviderSignIn {...methods.data.oidc} />
          ) : (
            <NeedsHttps {...methods.data.oidc} />
          ))}
        {methods.data?.development && <DevelopmentSignIn people={methods.data.people} />}
        {methods.data?.mail && <MailLink />}
        {methods.data && <PasskeySignIn />}
        {methods.data?.link && (
          <div className="column">
            <p className="dim">
              {methods.data.development || methods.data.mail ? 'Or make' : 'Make'} a one-time link
              on the machine that runs the service, and open it here:
            </p>
            <Command text={`${methods.data.command} people link you@example.com`} />
          </div>
        )}
      </div>
    </main>
  )
}

/**
 * The decisions of this page that may not be recorded, with what is known of each. They are in the
 * memory of the page.
 */
function UnrecordedDecisions() {
  const decisions = useHeldDecisions().filter(({ canSendAgain }) => canSendAgain)
  return decisions.map(({ key, act, number, words }) => (
    <p key={key} role="alert">
      <strong>
        {act} #{number}:
      </strong>{' '}
      {words} After a sign-in on this page you can send it again. A sign-in that leaves this page,
      as at a provider, loses it.
    </p>
  ))
}

function DevelopmentSignIn({ people }: { people: readonly { email: string; name: string }[] }) {
  const client = useQueryClient()
  const [email, setEmail] = useState(people[0]?.email ?? '')
  const [token, setToken] = useState('')
  const { attempt, busy, refusal } = useAttempt()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt(async () => {
      await callApi('signInForDevelopment', { body: { email, token: token.trim() } })
      await client.resetQueries({ queryKey: ['me'] })
    })
  }
  return (
    <form className="column" onSubmit={submit}>
      {people.length > 0 ? (
        <NativeSelect
          label="Person"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          data={people.map((person) => ({
            value: person.email,
            label: `${person.name} (${person.email})`,
          }))}
        />
      ) : (
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      )}
      <PasswordInput
        label="Development token"
        description="In the file run/dev-token of the data folder; only this machine's user can read it."
        autoComplete="current-password"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        error={refusal}
      />
      <Button type="submit" loading={busy} disabled={email === '' || token.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}

/** Instead of a button that could not work: what is missing, and where to go. */
function NeedsHttps({ label }: { label: string }) {
  return (
    <p role="status">
      Signing in with {label} needs HTTPS, and this page was opened at{' '}
      <code>{location.origin}</code>. Open the <code>https:</code> address of Countersign, or{' '}
      <code>http://localhost</code> with its port on the machine that runs it.
    </p>
  )
}

/**
 * Goes to the sign-in provider, which returns to the current page. Until the address is known the
 * button has its place and leads nowhere, so that nothing below it moves.
 */
function ProviderSignIn({ label }: { label: string }) {
  const { pathname, search } = window.location
  const path = pathname === '/sign-in' ? '/' : pathname + search
  const [proof, setProof] = useState<string | null>(null)
  useEffect(() => {
    void sessionProofHash().then(setProof)
  }, [])
  const href =
    proof === null
      ? undefined
      : requestOf('startProviderSignIn', { query: { return: path, proof } }).path
  return (
    <Button component="a" href={href} onClick={() => storeFragment(window.location)}>
      Sign in with {label}
    </Button>
  )
}

/** The reason why a sign-in at the provider failed. */
function ProviderRefusal() {
  const why = new URLSearchParams(window.location.search).get('refused') ?? ''
  if (!Object.hasOwn(signInRefusals, why)) return null
  return (
    <p role="alert" className="obstacle">
      {signInRefusals[why as SignInRefusal]}.
    </p>
  )
}
