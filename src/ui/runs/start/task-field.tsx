import { Textarea } from '@mantine/core'
import type { JsonObject } from '#domain/json/json.ts'
import { fieldAt, fieldTexts } from '../calls/tool-input.ts'
import { fieldsOf } from '../calls/input-fields.ts'
import { ToolInputFields } from '../calls/tool-input-fields.tsx'
import type { StartDraft } from './start-draft.ts'
import type { StartRefusal } from './use-start.ts'

type TaskDraft = Pick<StartDraft, 'task' | 'values'>

interface TaskFieldProps {
  readonly draft: TaskDraft
  readonly change: (changes: Partial<TaskDraft>) => void
  /** JSON Schema of the worker's `input`; `null`: the task is a text */
  readonly schema: JsonObject | null
  readonly refusal: StartRefusal | null
}

/** The task of the run: a text, or the fields of the worker's input. */
export function TaskField({ draft, change, schema, refusal }: TaskFieldProps) {
  const [part, ...path] = refusal?.field?.split('.') ?? []
  const message = part === 'input' ? (refusal?.message ?? null) : null
  if (schema === null) {
    return (
      <Textarea
        label="Task"
        required
        withAsterisk={false}
        autosize
        minRows={4}
        maxRows={24}
        value={draft.task}
        error={message}
        onChange={(event) => change({ task: event.currentTarget.value })}
      />
    )
  }
  const field = fieldAt(schema, path.join('.'))
  return (
    <fieldset className="task-fields column">
      <legend>Task</legend>
      <ToolInputFields
        schema={schema}
        values={fieldTexts(schema, draft.values)}
        change={(values) => change({ values })}
        errors={
          message === null || field === null ? {} : { [field]: withTitle(message, schema, field) }
        }
      />
      {message !== null && field === null && <p role="alert">{message}</p>}
    </fieldset>
  )
}

/** A message of the service with the label of the form in place of the name of the field. */
function withTitle(message: string, schema: JsonObject, name: string): string {
  const title = fieldsOf(schema).find((field) => field.name === name)?.title ?? name
  return message.replace(/^(?:“.*?” \(input\.\S+\)|input\.\S+)/, title)
}
