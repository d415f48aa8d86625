import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import type { CredentialView } from '#api/schemas/access/credentials.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Hash } from '../text/hash.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { ConfirmPasskeys } from './confirm-passkeys.tsx'
import { ownPasskeysQuery } from '../passkeys/own-passkeys.ts'
import { makePasskey, promptWords } from '../passkeys/passkey-prompt.ts'
import { verbs } from '../words/verbs.ts'

/** The person's passkeys: they sign in, and sign decisions once another confirms them. */
export function PasskeysSection() {
  const { person } = useMe()
  const client = useQueryClient()
  const [refusal, setRefusal] = useState<string | null>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const passkeys = useQuery(ownPasskeysQuery)
  const act = async (work: () => Promise<unknown>, message: string): Promise<boolean> => {
    setRefusal(null)
    try {
      await work()
      announce(message)
      await client.invalidateQueries({ queryKey: ['credentials'] })
      return true
    } catch (error) {
      setRefusal(promptWords(error))
      return false
    }
  }
  return (
    <section className="card column" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title" ref={title} tabIndex={-1}>
        Passkeys
      </h2>
      <p className="dim small">
        Use a fingerprint, a face, a PIN or a security key instead of a link. A passkey signs you
        in. After another person has confirmed it, it also signs decisions in queues that require a
        signature.
      </p>
      {passkeys.isPending && <Loading what="your passkeys" lines={2} />}
      <Failure query={passkeys} />
      <ul className="plain-list">
        {passkeys.data?.items.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            act={act}
            onRemoved={() => title.current?.focus()}
          />
        ))}
      </ul>
      {refusal !== null && (
        <p role="alert" className="small break">
          {refusal}
        </p>
      )}
      <AddPasskey act={act} />
      {person.rights.includes('managePeople') && <ConfirmPasskeys />}
    </section>
  )
}

type Act = (work: () => Promise<unknown>, message: string) => Promise<boolean>

function PasskeyRow(props: {
  passkey: CredentialView
  act: Act
  /** called before the row, which has the focus, is removed */
  onRemoved: () => void
}) {
  const { passkey, act, onRemoved } = props
  const [name, setName] = useState<string | null>(null)
  const { confirmed } = passkey
  const rename = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const body = { name: (name ?? '').trim() }
    const params = { id: passkey.id }
    if (await act(() => callApi('renameCredential', { params, body }), 'Renamed')) setName(null)
  }
  const remove = async (): Promise<void> => {
    await callApi('removeCredential', { params: { id: passkey.id } })
    announce('Removed')
    onRemoved()
  }
  return (
    <li className="account-row">
      <span className="grow break">
        {name === null ? (
          <VisibleText text={passkey.name} />
        ) : (
          <form className="row" onSubmit={(event) => void rename(event)}>
            <TextInput
              aria-label={`New name of ${passkey.name}`}
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" size="compact-sm" disabled={name.trim() === ''}>
              {verbs.save}
            </Button>
          </form>
        )}
        {confirmed === null && <span className="mark">not confirmed</span>}
        <br />
        <span className="dim small">
          registered <Time at={passkey.registeredAt} /> ·{' '}
          {passkey.lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={passkey.lastUsedAt} />
            </>
          )}{' '}
          ·{' '}
          {confirmed === null ? (
            <>
              key <Hash value={passkey.publicKeyHash} what="public key's hash" /> · ask somebody
              with the right managePeople to confirm it; until then it signs no decisions
            </>
          ) : (
            <>
              confirmed by {confirmed.by.name} <Time at={confirmed.at} />
            </>
          )}
        </span>
      </span>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={name === null ? `Rename ${passkey.name}` : `Keep the name ${passkey.name}`}
        onClick={() => setName(name === null ? passkey.name : null)}
      >
        {name === null ? 'Rename' : verbs.cancel}
      </Button>
      <ConfirmButton
        label={verbs.remove}
        row={passkey.name}
        confirm="Remove for good"
        cancelLabel={verbs.cancel}
        reason={null}
        act={remove}
        card={{
          title: `Remove ${passkey.name}?`,
          text: 'It no longer signs you in, and signs no more decisions. What it signed stays valid.',
        }}
      />
    </li>
  )
}

/** Registers a passkey of this device or of a connected security key. */
function AddPasskey({ act }: { act: Act }) {
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const prompt = useRef<AbortController | null>(null)
  // A prompt that is answered on another page would add a passkey that nobody sees.
  useEffect(() => () => prompt.current?.abort(), [])
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    prompt.current = new AbortController()
    const { signal } = prompt.current
    const isAdded = await act(async () => {
      const options = await callApi('startCredential')
      const body = { name: name.trim(), response: await makePasskey(options, signal) }
      await callApi('registerCredential', { body })
    }, 'The passkey is registered')
    if (isAdded) setName('')
    setBusy(false)
  }
  return (
    <form className="row account-add" onSubmit={(event) => void add(event)}>
      <TextInput
        label="Name of a new passkey"
        description="A name by which you recognise it, such as “laptop” or “blue key”."
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={busy} disabled={name.trim() === ''}>
        Add a passkey
      </Button>
    </form>
  )
}
