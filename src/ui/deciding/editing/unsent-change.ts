import type { EditableField } from './edited-input.ts'

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

/** The text of such a draft. Pure. */
export function textOfDraft(draft: string, proposedText: string): string {
  return draft === '' ? proposedText : (JSON.parse(draft) as string)
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
  if (draft === '') return proposed
  const texts = new Map(JSON.parse(draft) as [string, string][])
  return proposed.map((field) => ({ ...field, text: texts.get(field.name) ?? field.text }))
}

/** The text that copies a draft: that of the file, or each changed member with its name. Pure. */
export function copyOfDraft(of: UnsentChange['of'], draft: string): string {
  if (of === 'file') return textOfDraft(draft, '')
  const entries = JSON.parse(draft) as [string, string][]
  return entries.map(([name, text]) => `${name}: ${text}`).join('\n')
}
