import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { callApi } from '../api/call-api.ts'
import { useAttempt } from '../states/use-attempt.ts'
import { keepPageAfterLink } from './page-after-link.ts'

/** Asks for a sign-in link by mail. The page says the same for known and unknown addresses. */
export function MailLink() {
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { attempt, busy, refusal } = useAttempt()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    keepPageAfterLink(window.location)
    setSentTo(null)
    void attempt(async () => {
      await callApi('signInWithLink', { body: { email: email.trim() } })
      setSentTo(email.trim())
    })
  }
  return (
    <form className="column" onSubmit={submit}>
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={refusal}
      />
      <Button type="submit" loading={busy} disabled={email.trim() === ''}>
        Mail me a sign-in link
      </Button>
      {sentTo !== null && (
        <p role="status">
          If {sentTo} may sign in here, a mail with a link is on its way. It works for 15 minutes.
        </p>
      )}
    </form>
  )
}
