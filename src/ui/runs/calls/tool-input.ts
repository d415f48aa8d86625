import { readJson } from '#domain/json/ambiguous-json.ts'
import { parseJson } from '#domain/json/parse-json.ts'
import { valueIn } from '#domain/json/value-in.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { fieldsOf, objectOf, type InputField } from './input-fields.ts'

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

/** The initial texts of a form: the first option of required choices, and no for booleans. */
export function emptyInput(schema: JsonObject): InputValues {
  return Object.fromEntries(
    fieldsOf(schema).map(({ name, kind, required, choices }) => {
      if (kind === 'boolean') return [name, required ? 'false' : '']
      return [name, kind === 'choice' && required ? (choices[0]?.text ?? '') : '']
    }),
  )
}

/**
 * The texts of a form's fields for these values. A link or an earlier page may have filled the
 * values in. A field has its initial text if there is no value, or if it could not show the value.
 * Pure.
 */
export function fieldTexts(schema: JsonObject, values: InputValues): InputValues {
  const texts = fieldsOf(schema).flatMap((field): [string, string][] => {
    const text = valueIn(values, field.name)
    return text !== undefined && canShow(field, text) ? [[field.name, text]] : []
  })
  return { ...emptyInput(schema), ...Object.fromEntries(texts) }
}

/** Whether the control of a field shows this text as it is. */
function canShow({ kind, required, choices }: InputField, text: string): boolean {
  switch (kind) {
    case 'choice':
      return choices.some((choice) => choice.text === text) || (text === '' && !required)
    case 'boolean':
      return text === 'true' || text === 'false' || (text === '' && !required)
    case 'date':
      return text === '' || isDay(text)
    case 'number':
      return !text.includes('\n')
    default:
      return true
  }
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

/**
 * Reads the input from the texts of a form. The service validates the rest.
 *
 * @throws InputError for a field without a valid value.
 */
export function readInput(schema: JsonObject, values: InputValues): JsonObject {
  const input: Tree = new Map()
  for (const field of fieldsOf(schema)) {
    const text = values[field.name] ?? ''
    const { path } = field
    if (field.required && path.length > 1) branchOf(input, path)
    const mayBeEmpty = field.required && (field.kind === 'text' || field.kind === 'lines')
    if (text === '' && !mayBeEmpty) continue
    branchOf(input, path).set(path.at(-1) ?? '', valueOf(field, text))
  }
  return objectFrom(input)
}

/** The texts of a form for an existing input; `readInput` makes the same input of them. */
export function valuesOf(schema: JsonObject, input: JsonObject): InputValues {
  const pairs = fieldsOf(schema).flatMap((field): [string, string][] => {
    const value = valueAt(input, field.path)
    return value === undefined ? [] : [[field.name, textFor(field, value)]]
  })
  return { ...emptyInput(schema), ...Object.fromEntries(pairs) }
}

/** The field that a refusal is about, such as `labels` for `labels.0`; `null`: none of the form. */
export function fieldAt(schema: JsonObject, path: string): string | null {
  const names = fieldsOf(schema).map(({ name }) => name)
  const own = names.find((name) => path === name || path.startsWith(`${name}.`))
  return own ?? names.find((name) => name.startsWith(`${path}.`)) ?? null
}

/** Objects by their own keys, whatever a schema calls its properties. */
type Tree = Map<string, Json | Tree>

/** The object that holds the last part of a path. */
function branchOf(tree: Tree, path: readonly string[]): Tree {
  return path.slice(0, -1).reduce((at, key) => {
    const below = at.get(key)
    if (below instanceof Map) return below
    const branch: Tree = new Map()
    at.set(key, branch)
    return branch
  }, tree)
}

function objectFrom(tree: Tree): JsonObject {
  return Object.fromEntries(
    [...tree].map(([key, value]) => [key, value instanceof Map ? objectFrom(value) : value]),
  )
}

function valueAt(input: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => valueIn(objectOf(at), key), input)
}

function textFor(field: InputField, value: Json): string {
  if (field.kind === 'lines' && Array.isArray(value)) {
    const text = value.filter((one) => typeof one === 'string').join('\n')
    return JSON.stringify(linesOf(text)) === JSON.stringify(value) ? text : JSON.stringify(value)
  }
  const isText = field.kind !== 'json' && typeof value !== 'object'
  return isText ? String(value) : JSON.stringify(value)
}

function valueOf(field: InputField, text: string): Json {
  switch (field.kind) {
    case 'text':
    case 'date':
      return text
    case 'choice':
      return field.choices.find((choice) => choice.text === text)?.value ?? text
    case 'boolean':
      return text === 'true'
    case 'number': {
      const number = Number(text)
      if (!Number.isFinite(number))
        throw new InputError(field.name, `${field.title} is not a number.`)
      return number
    }
    case 'lines':
      return linesOf(text)
    case 'json': {
      const json = readJson(field.title, text)
      if ('value' in json) return json.value
      throw new InputError(field.name, `${json.problem}.`)
    }
  }
}

/** One text a line; a JSON array of texts is taken as it is, for texts of several lines. */
function linesOf(text: string): Json[] {
  const value = parseJson(text)
  if (Array.isArray(value)) return value
  return text.split('\n').filter((line) => line.trim() !== '')
}
