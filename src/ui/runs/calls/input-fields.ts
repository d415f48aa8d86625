import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'

/** The ways to enter a value; `json` is for every value that none of the others can express. */
export type InputKind = 'text' | 'number' | 'boolean' | 'choice' | 'date' | 'lines' | 'json'

/** One field of a form. */
export interface InputField {
  /** its property names, joined by dots: `owner.name` */
  readonly name: string
  readonly path: readonly string[]
  /** its title in the schema, else its name */
  readonly title: string
  /** the title of the object that it belongs to; `null`: the input itself */
  readonly group: string | null
  readonly kind: InputKind
  readonly required: boolean
  readonly description: string | null
  /** the values to choose from, each with its text */
  readonly choices: readonly Choice[]
  /** the text of the value that applies if the field is empty; `null`: none does */
  readonly standard: string | null
}

export interface Choice {
  readonly text: string
  readonly value: Json
}

/** Objects in objects up to this depth have fields; deeper ones are entered as JSON. */
const maxDepth = 3

/** The fields of a JSON Schema, in order, with a nested object's fields in its place. */
export function fieldsOf(schema: JsonObject): InputField[] {
  return fieldsBelow(schema, { path: [], group: null, required: true })
}

interface Place {
  readonly path: readonly string[]
  readonly group: string | null
  readonly required: boolean
}

function fieldsBelow(schema: JsonObject, place: Place): InputField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(objectOf(schema['properties'])).flatMap(([key, value]) => {
    const property = objectOf(value)
    const { description, title } = property
    const path = [...place.path, key]
    const words = typeof title === 'string' && title.trim() !== '' ? title : key
    const isRequired = place.required && required.includes(key) && property['default'] === undefined
    if (hasFields(property) && path.length < maxDepth) {
      return fieldsBelow(property, { path, group: words, required: isRequired })
    }
    const choices = choicesOf(property)
    const standard = property['default']
    return {
      name: path.join('.'),
      path,
      title: words,
      group: place.group,
      kind: kindOf(property, choices),
      required: isRequired,
      description: typeof description === 'string' ? description : null,
      choices,
      standard: standard === undefined ? null : textOf(standard),
    }
  })
}

/** Whether an object has only properties that a dotted name can tell apart. */
function hasFields(property: JsonObject): boolean {
  const names = Object.keys(objectOf(property['properties']))
  const { additionalProperties = false } = property
  return (
    property['type'] === 'object' &&
    property['default'] === undefined &&
    additionalProperties === false &&
    names.length > 0 &&
    names.every((name) => name !== '' && !name.includes('.'))
  )
}

/** The values of `enum` or `const`, unless two of them have the same text. */
function choicesOf(property: JsonObject): Choice[] {
  const { enum: values, const: only } = property
  const all = Array.isArray(values) ? values : only === undefined ? [] : [only]
  const choices = all.map((value) => ({ text: textOf(value), value }))
  const texts = new Set(choices.map(({ text }) => text))
  return texts.size === choices.length && !texts.has('') ? choices : []
}

function kindOf(property: JsonObject, choices: readonly Choice[]): InputKind {
  if (choices.length > 0) return 'choice'
  const { type, format, items } = property
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
  if (types.length !== 1) return 'json'
  switch (types[0]) {
    case 'string':
      return format === 'date' ? 'date' : 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return objectOf(items)['type'] === 'string' ? 'lines' : 'json'
    default:
      return 'json'
  }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
