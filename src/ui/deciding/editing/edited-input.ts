import { readJson } from '#domain/json/ambiguous-json.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'

/** One member of an input in a form: text as it is, other values as JSON. */
export interface EditableField {
  readonly name: string
  readonly kind: 'text' | 'json'
  readonly text: string
}

/** The members of an input as form fields, in order. Pure. */
export function editableFields(input: Json): EditableField[] {
  if (!isJsonObject(input)) return []
  return Object.entries(input).map(([name, value]) =>
    typeof value === 'string'
      ? { name, kind: 'text', text: value }
      : { name, kind: 'json', text: JSON.stringify(value, null, 2) },
  )
}

/** The input from the form fields, or why a member cannot be read. Pure. */
export function editedInput(
  fields: readonly EditableField[],
): { input: JsonObject } | { problem: string } {
  const entries: [string, Json][] = []
  for (const { name, kind, text } of fields) {
    const member = kind === 'text' ? { value: text } : readJson(name, text)
    if ('problem' in member) return { problem: `${member.problem}.` }
    entries.push([name, member.value])
  }
  return { input: Object.fromEntries(entries) }
}

/** One member that differs between two inputs; `null`: it is missing. */
export interface ChangedField {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** The members that differ between two inputs. Pure. */
export function changedFields(before: Json, after: Json): ChangedField[] {
  const old = new Map(editableFields(before).map((field) => [field.name, field.text]))
  const fresh = new Map(editableFields(after).map((field) => [field.name, field.text]))
  const names = [...new Set([...old.keys(), ...fresh.keys()])]
  return names
    .map((name) => ({ name, before: old.get(name) ?? null, after: fresh.get(name) ?? null }))
    .filter((field) => field.before !== field.after)
}
