import { parseJson } from '#domain/json/parse-json.ts'
import { sortedCopy, unusual } from '#domain/json/sorted-copy.ts'
import type { Json } from '#domain/json/json.ts'
import { editableFields, type EditableField } from './edited-input.ts'

/**
 * A change of a call that its person began and has not sent: the text of the file that results, or
 * members of the input. `revision`: the one that they changed.
 */
export interface UnsentChange {
  readonly of: 'file' | 'input'
  readonly revision: number
}

/** The field of the draft of a change. */
export function changeDraftField({ of, revision }: UnsentChange): `${typeof of} ${number}` {
  return `${of} ${revision}`
}

/** The change of such a field; null for another field. Pure. */
export function changeOfDraftField(field: string): UnsentChange | null {
  const [, of, revision] = /^(file|input) (\d+)$/.exec(field) ?? []
  return of === 'file' || of === 'input' ? { of, revision: Number(revision) } : null
}

/** The draft of a text, which may be empty. Pure. */
export function draftOfText(text: string, proposedText: string): string {
  return text === proposedText ? '' : JSON.stringify(text)
}

/** The text of such a draft; the proposed one if it has none. Pure. */
export function textOfDraft(draft: string, proposedText: string): string {
  const text = parseJson(draft)
  return typeof text === 'string' ? text : proposedText
}

/**
 * The draft of the fields that differ from the proposed ones. It has no other fields, so that it
 * undoes nothing that a colleague changes in those. Pure.
 */
export function draftOfFields(
  fields: readonly EditableField[],
  proposed: readonly EditableField[],
): string {
  const changed = fields.filter(({ text }, index) => text !== proposed[index]?.text)
  if (changed.length === 0) return ''
  return JSON.stringify(changed.map(({ name, text }) => [name, text]))
}

/** The proposed fields with the texts of such a draft. Pure. */
export function fieldsOfDraft(
  draft: string,
  proposed: readonly EditableField[],
): readonly EditableField[] {
  const texts = new Map(membersOfDraft(draft))
  return proposed.map((field) => ({ ...field, text: texts.get(field.name) ?? field.text }))
}

/** The text that copies a draft: that of the file, or each changed member with its name. Pure. */
export function copyOfDraft(of: UnsentChange['of'], draft: string): string {
  if (of === 'file') return textOfDraft(draft, '')
  return membersOfDraft(draft)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n')
}

/**
 * Whether an input has what a draft changes, as after a sent change whose answer was lost. Of an
 * edited file the input has no text. Pure.
 */
export function isInInput(of: UnsentChange['of'], draft: string, input: Json): boolean {
  const text = parseJson(draft)
  const ofFile: Member[] = typeof text === 'string' ? [['content', text]] : []
  const fields = new Map(editableFields(input).map((field) => [field.name, field]))
  const members = of === 'file' ? ofFile : membersOfDraft(draft)
  return members.length > 0 && members.every(([name, value]) => hasValue(fields.get(name), value))
}

/** Whether a field has the value of a typed text. JSON may be typed in another form. */
function hasValue(field: EditableField | undefined, text: string): boolean {
  if (field?.kind !== 'json') return field?.text === text
  const value = sortedCopy(parseJson(field.text))
  if (value === unusual) return field.text === text
  return JSON.stringify(value) === JSON.stringify(sortedCopy(parseJson(text)))
}

/** Whether an input has all members that the draft of its fields changes. Pure. */
export function hasItsFields(draft: string, input: Json): boolean {
  const names = new Set(editableFields(input).map(({ name }) => name))
  return membersOfDraft(draft).every(([name]) => names.has(name))
}

type Member = readonly [name: string, text: string]

/** The changed members of such a draft; none if another version of the page wrote it. */
function membersOfDraft(draft: string): readonly Member[] {
  const entries = parseJson(draft)
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry): Member[] => {
    const [name, text] = Array.isArray(entry) ? entry : []
    return typeof name === 'string' && typeof text === 'string' ? [[name, text]] : []
  })
}
