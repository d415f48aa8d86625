import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { JsonObject } from '#domain/json/json.ts'
import { fieldsOf, type InputField } from './input-fields.ts'
import type { InputValues } from './tool-input.ts'
import './tool-input-fields.css'

interface ToolInputFieldsProps {
  schema: JsonObject
  values: InputValues
  change: (values: InputValues) => void
  /** the error of a field, by its name */
  errors?: Readonly<Record<string, string>>
}

/** The fields of a tool's input. Those of an object in it stand together under its title. */
export function ToolInputFields({ schema, values, change, errors = {} }: ToolInputFieldsProps) {
  return groupsOf(fieldsOf(schema)).map(({ title, fields }) => {
    const members = fields.map((field) => (
      <Field
        key={field.name}
        field={field}
        value={values[field.name] ?? ''}
        error={errors[field.name] ?? null}
        change={(value) => change({ ...values, [field.name]: value })}
      />
    ))
    if (title === null) return members
    return (
      <fieldset key={`in ${fields[0]?.name}`} className="input-group column">
        <legend>{title}</legend>
        {members}
      </fieldset>
    )
  })
}

interface FieldGroup {
  readonly title: string | null
  readonly fields: readonly InputField[]
}

/** Neighbours of one object together. */
function groupsOf(fields: readonly InputField[]): FieldGroup[] {
  return fields.reduce<FieldGroup[]>((groups, field) => {
    const last = groups.at(-1)
    const isSame = last?.title === field.group && parentOf(last?.fields[0]) === parentOf(field)
    if (last === undefined || !isSame) return [...groups, { title: field.group, fields: [field] }]
    return [...groups.slice(0, -1), { ...last, fields: [...last.fields, field] }]
  }, [])
}

function parentOf(field: InputField | undefined): string {
  return field?.path.slice(0, -1).join('.') ?? ''
}

interface FieldProps {
  field: InputField
  value: string
  error: string | null
  change: (value: string) => void
}

function Field({ field, value, error, change }: FieldProps) {
  const { kind, title, required, choices, standard } = field
  const commonProps = {
    label: kind === 'json' ? `${title} (JSON)` : title,
    error,
    description: descriptionOf(field),
    required,
    value,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  }
  const without = standard === null ? '' : `${standard} (default)`
  if (kind === 'choice' || kind === 'boolean') {
    const texts = kind === 'boolean' ? ['false', 'true'] : choices.map(({ text }) => text)
    const data = required ? texts : [{ value: '', label: without }, ...texts]
    return <NativeSelect {...commonProps} data={data} />
  }
  if (kind === 'number') {
    return <TextInput {...commonProps} inputMode="decimal" placeholder={without} />
  }
  if (kind === 'date') return <TextInput {...commonProps} type="date" />
  return (
    <Textarea
      {...commonProps}
      autosize
      minRows={kind === 'json' ? 3 : 1}
      maxRows={16}
      placeholder={without}
    />
  )
}

function descriptionOf({ kind, description }: InputField): string | null {
  if (kind !== 'lines') return description
  return description === null ? 'One on each line.' : `${description} One on each line.`
}
