import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { RevisionRules } from './revision-rules.tsx'
import { useRevise } from './use-revise.ts'
import { editableFields, editedInput } from './edited-input.ts'
import { useDraft } from '../../states/draft.ts'
import { changeDraftField, draftOfFields, fieldsOfDraft } from './unsent-change.ts'

/** Changes the input of a call. The result is a new revision, which is then decided. */
export function EditForm(props: {
  request: RequestDetail
  onDone: (fresh: RequestDetail) => void
}) {
  const { request, onDone } = props
  const [proposed] = useState(() => editableFields(request.input))
  const [draft, setDraft] = useDraft(
    request.id,
    changeDraftField({ of: 'input', revision: request.revision }),
  )
  const fields = fieldsOfDraft(draft, proposed)
  const write = (name: string, text: string): void => {
    const next = fields.map((field) => (field.name === name ? { ...field, text } : field))
    setDraft(draftOfFields(next, proposed))
  }
  const { revise, refusal, setRefusal, busy } = useRevise(request, (fresh) => {
    setDraft('')
    onDone(fresh)
  })
  const preview = (): void => {
    const edited = editedInput(fields)
    if ('input' in edited) void revise(edited.input)
    else setRefusal(edited.problem)
  }
  return (
    <div className="column">
      {fields.map((field) => (
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
          onChange={(event) => write(field.name, event.currentTarget.value)}
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
