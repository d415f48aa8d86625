import type { Json, JsonObject } from '#domain/json/json.ts'

/**
 * One field of a form. A value that is not a text, number, choice or boolean is entered as JSON.
 */
export interface InputField {
  readonly name: string
  /** its title in the schema, else its name */
  readonly title: string
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  readonly required: boolean
  readonly description: string | null
  readonly choices: readonly string[]
}

/** The text of a field is not a valid value. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** The texts of the fields. An empty text omits an optional field. */
export type InputValues = Readonly<Record<string, string>>

/** The fields of a tool's JSON Schema, in order. */
export function fieldsOf(schema: JsonObject): InputField[] {
  const properties = objectOf(schema['properties'])
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties).map(([name, value]) => {
    const property = objectOf(value)
    const choices = Array.isArray(property['enum'])
      ? property['enum'].filter((choice) => typeof choice === 'string')
      : []
    const { description, title } = property
    return {
      name,
      title: typeof title === 'string' && title.trim() !== '' ? title : name,
      kind: kindOf(property, choices),
      required: required.includes(name) && property['default'] === undefined,
      description: typeof description === 'string' ? description : null,
      choices,
    }
  })
}

/** The initial texts of a form: the first option of required choices, and no for booleans. */
export function emptyInput(schema: JsonObject): InputValues {
  return Object.fromEntries(
    fieldsOf(schema).map((field) => {
      if (field.kind === 'boolean') return [field.name, field.required ? 'false' : '']
      return [field.name, field.kind === 'choice' && field.required ? (field.choices[0] ?? '') : '']
    }),
  )
}

/**
 * Reads the input from the texts of a form. The service validates the rest.
 *
 * @throws InputError for a field without a valid value.
 */
export function readInput(schema: JsonObject, values: InputValues): JsonObject {
  const input: Record<string, Json> = {}
  for (const field of fieldsOf(schema)) {
    const text = values[field.name] ?? ''
    if (text === '' && !(field.required && field.kind === 'text')) continue
    input[field.name] = valueOf(field, text)
  }
  return input
}

/** The texts of a form for an existing input; `readInput` makes the same input of them. */
export function valuesOf(schema: JsonObject, input: JsonObject): InputValues {
  const pairs = fieldsOf(schema).flatMap(({ name, kind }): [string, string][] => {
    const value = input[name]
    if (value === undefined) return []
    const isText = kind !== 'json' && typeof value !== 'object'
    return [[name, isText ? String(value) : JSON.stringify(value)]]
  })
  return { ...emptyInput(schema), ...Object.fromEntries(pairs) }
}

function valueOf(field: InputField, text: string): Json {
  switch (field.kind) {
    case 'text':
    case 'choice':
      return text
    case 'boolean':
      return text === 'true'
    case 'number': {
      const number = Number(text)
      if (!Number.isFinite(number))
        throw new InputError(field.name, `${field.title} is not a number.`)
      return number
    }
    case 'json':
      try {
        return JSON.parse(text) as Json
      } catch {
        throw new InputError(field.name, `${field.title} is not JSON.`)
      }
  }
}

function kindOf(property: JsonObject, choices: readonly string[]): InputField['kind'] {
  if (choices.length > 0) return 'choice'
  switch (property['type']) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return 'json'
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
