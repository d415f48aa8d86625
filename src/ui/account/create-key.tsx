import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import type { ApiKeyView } from '#api/schemas/access/keys.ts'
import { callApi } from '../api/call-api.ts'
import { useOneAtATime } from '../states/use-act.ts'
import { useFocusReturn } from '../states/use-focus-return.ts'
import { verbs } from '../words/verbs.ts'

type Scope = ApiKeyView['scopes'][number]

const scopeChoices: readonly (readonly [scope: Scope, label: string])[] = [
  ['runs:write', 'start runs, and message and cancel its own'],
  ['runs:read', 'read runs'],
  ['requests:write', 'open requests of its own'],
  ['requests:read', 'read requests'],
  ['audit:read', 'read the audit trail'],
]
const dayMs = 86_400_000

/** Creates a key of the person, with a name, scopes and an end. */
export function CreateKey(props: {
  act: (work: () => Promise<object>, message: string) => Promise<boolean>
}) {
  const act = useOneAtATime(props.act)
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>([])
  const [days, setDays] = useState('90')
  const button = useFocusReturn<HTMLButtonElement>(open)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (open) field.current?.focus()
  }, [open])
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const expiresAt = new Date(Date.now() + Number(days) * dayMs).toISOString()
    const body = { name: name.trim(), scopes: [...scopes], ...(days === '' ? {} : { expiresAt }) }
    if (!(await act(() => callApi('createKey', { body }), 'The key was created'))) return
    setOpen(false)
    setName('')
    setScopes([])
  }
  if (!open) {
    return (
      <div>
        <Button ref={button} variant="default" onClick={() => setOpen(true)}>
          Create a key…
        </Button>
      </div>
    )
  }
  return (
    <form className="column" onSubmit={(event) => void submit(event)}>
      <TextInput
        ref={field}
        label="Name"
        description="What the key is for."
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group label="Scopes" value={[...scopes]} onChange={setScopes}>
        <div className="column">
          {scopeChoices.map(([scope, label]) => (
            <Checkbox key={scope} value={scope} label={label} description={scope} />
          ))}
        </div>
      </Checkbox.Group>
      <NativeSelect
        label="Expires"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '30', label: 'after 30 days' },
          { value: '90', label: 'after 90 days' },
          { value: '365', label: 'after a year' },
          { value: '', label: 'never' },
        ]}
      />
      <div className="row">
        <Button variant="default" onClick={() => setOpen(false)}>
          {verbs.cancel}
        </Button>
        <Button type="submit" disabled={name.trim() === '' || scopes.length === 0}>
          Create the key
        </Button>
      </div>
    </form>
  )
}
