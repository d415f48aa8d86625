import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import { callApi } from '../api/call-api.ts'
import { keepPageAfterLink } from './page-after-link.ts'

/** Asks for a sign-in link by mail. The page says the same for known and unknown addresses. */
export function MailLink() {
  const [email, setEmail] = useState('')
  const [result, setResult] = useState<{ sent: boolean; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    keepPageAfterLink(window.location)
    try {
      await callApi('signInWithLink', { body: { email: email.trim() } })
      const text = `If ${email.trim()} may sign in here, a mail with a link is on its way. It works for 15 minutes.`
      setResult({ sent: true, text })
    } catch (error) {
      setResult({ sent: false, text: errorMessage(error) })
    }
    setBusy(false)
  }
  return (
    <form className="column" onSubmit={(event) => void submit(event)}>
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={result?.sent === false ? result.text : null}
      />
      <Button type="submit" loading={busy} disabled={email.trim() === ''}>
        Mail me a sign-in link
      </Button>
      {result?.sent === true && <p role="status">{result.text}</p>}
    </form>
  )
}
