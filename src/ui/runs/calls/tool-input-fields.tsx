import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { JsonObject } from '#domain/json/json.ts'
import { fieldsOf, type InputField, type InputValues } from './tool-input.ts'

interface ToolInputFieldsProps {
  schema: JsonObject
  values: InputValues
  change: (values: InputValues) => void
  /** the error of a field, by its name */
  errors?: Readonly<Record<string, string>>
}

/** The fields of a tool's input. */
export function ToolInputFields({ schema, values, change, errors = {} }: ToolInputFieldsProps) {
  return fieldsOf(schema).map((field) => (
    <Field
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      error={errors[field.name] ?? null}
      change={(value) => change({ ...values, [field.name]: value })}
    />
  ))
}

interface FieldProps {
  field: InputField
  value: string
  error: string | null
  change: (value: string) => void
}

function Field({ field, value, error, change }: FieldProps) {
  const shared = {
    label: field.kind === 'json' ? `${field.title} (JSON)` : field.title,
    error,
    description: field.description,
    required: field.required,
    value,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  }
  if (field.kind === 'choice' || field.kind === 'boolean') {
    const choices = field.kind === 'boolean' ? ['false', 'true'] : field.choices
    return <NativeSelect {...shared} data={field.required ? [...choices] : ['', ...choices]} />
  }
  if (field.kind === 'number') return <TextInput {...shared} inputMode="decimal" />
  return <Textarea {...shared} autosize minRows={field.kind === 'json' ? 3 : 1} />
}
