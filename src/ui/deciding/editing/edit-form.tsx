import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { RevisionRules } from './revision-rules.tsx'
import { useRevise } from './use-revise.ts'
import { editableFields, editedInput } from './edited-input.ts'

/** Changes the input of a call. The result is a new revision, which is then decided. */
export function EditForm(props: {
  request: RequestDetail
  onDone: (fresh: RequestDetail) => void
}) {
  const { request, onDone } = props

  const [fields, setFields] = useState(() => editableFields(request.input))
  const { revise, refusal, setRefusal, busy } = useRevise(request, onDone)
  const preview = (): void => {
    const edited = editedInput(fields)
    if ('input' in edited) void revise(edited.input)
    else setRefusal(edited.problem)
  }
  return (
    <div className="column">
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
      <RevisionRules request={request} />
      <Button loading={busy} onClick={preview}>
        Preview the changes
      </Button>
    </div>
  )
}
