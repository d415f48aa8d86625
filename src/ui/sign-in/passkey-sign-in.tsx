import { Button } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../api/call-api.ts'
import { askPasskey, answerWords } from '../passkeys/passkey-prompt.ts'

/** Signs in with a passkey, without a name. Hidden if the browser does not support passkeys. */
export function PasskeySignIn() {
  const client = useQueryClient()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  if (!('PublicKeyCredential' in window)) return null
  const signIn = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      const options = await callApi('startPasskeySignIn')
      await callApi('signInWithPasskey', { body: { response: await askPasskey(options, null) } })
      await client.resetQueries({ queryKey: ['me'] })
    } catch (error) {
      setRefusal(answerWords(error))
      setBusy(false)
    }
  }
  return (
    <div className="column">
      <Button
        variant="default"
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={busy}
        onClick={() => void signIn()}
      >
        Sign in with a passkey
      </Button>
      {refusal !== null && (
        <p role="alert" className="small break">
          {refusal}
        </p>
      )}
    </div>
  )
}
