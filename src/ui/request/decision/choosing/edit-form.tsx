import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { ApiRefusal, callApi } from '../../../api/call-api.ts'
import { editableFields, editedInput } from './edited-input.ts'

/** Changes the input of a call. Its preview is the new revision, which is then decided as shown. */
export function EditForm({ opened, onDone }: { opened: RequestDetail; onDone: () => void }) {
  const client = useQueryClient()
  const [fields, setFields] = useState(() => editableFields(opened.input))
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const preview = async (): Promise<void> => {
    const edited = editedInput(fields)
    if ('problem' in edited) {
      setRefusal(edited.problem)
      return
    }
    setBusy(true)
    setRefusal(null)
    try {
      const { digest, revision } = opened
      const body = { input: edited.input, digest, revision }
      const fresh = await callApi('reviseRequest', { params: { id: opened.id }, body })
      client.setQueriesData<RequestDetail>({ queryKey: ['request'] }, (old) =>
        old?.id === fresh.id ? fresh : old,
      )
      onDone()
    } catch (error) {
      setRefusal((error as Error).message)
      setBusy(false)
      if (error instanceof ApiRefusal && error.status === 412) {
        await client.invalidateQueries({ queryKey: ['request'] })
      }
    }
  }
  return (
    <div className="column edit-form">
      {fields.map((field, index) => (
        <Textarea
          key={field.name}
          label={field.name}
          description={field.kind === 'json' ? 'JSON' : undefined}
          autosize
          minRows={1}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={field.text}
          onChange={(event) => {
            const { value } = event.currentTarget
            setFields((before) =>
              before.map((field, at) => (at === index ? { ...field, text: value } : field)),
            )
          }}
        />
      ))}
      {refusal !== null && (
        <p role="alert" className="obstacle">
          {refusal}
        </p>
      )}
      <Button loading={busy} onClick={() => void preview()}>
        Preview the changes
      </Button>
      <p className="small dim">
        Policy judges the changed call anew, and votes given so far no longer count.
      </p>
    </div>
  )
}
