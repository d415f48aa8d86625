import { expect, test } from 'vitest'
import { editableFields } from './edited-input.ts'
import {
  copyOfDraft,
  draftOfFields,
  draftOfText,
  fieldsOfDraft,
  hasItsFields,
  isInInput,
  textOfDraft,
} from './unsent-change.ts'

const input = { path: 'a.md', content: 'old' }
const fields = editableFields(input)
const changedBy = (name: string, text: string) =>
  draftOfFields(
    fields.map((field) => (field.name === name ? { ...field, text } : field)),
    fields,
  )

test('a change that is in the newest input is not unsent: only its answer was lost', () => {
  const ofFile = draftOfText('new', 'old')
  expect(isInInput('file', ofFile, { ...input, content: 'new' })).toBe(true)
  expect(isInInput('file', ofFile, input)).toBe(false)
  const ofPath = changedBy('path', 'b.md')
  expect(isInInput('input', ofPath, { path: 'b.md', content: 'by a colleague' })).toBe(true)
  expect(isInInput('input', ofPath, input)).toBe(false)
})

test('a member that is JSON is in the newest input in whatever form it was typed', () => {
  const edits = editableFields({ edits: [{ find: 'a', replace: 'b' }] })
  const typedAs = (text: string): string =>
    draftOfFields(
      edits.map((field) => ({ ...field, text })),
      edits,
    )
  const isIn = (text: string): boolean =>
    isInInput('input', typedAs(text), { edits: [{ find: 'a', replace: 'c' }] })
  expect(isIn('[{"replace":"c","find":"a"}]')).toBe(true)
  expect(isIn('[{"replace":"d","find":"a"}]')).toBe(false)
  expect(isIn('[{"replace":"c"')).toBe(false)
})

test('a change of a member that the newest input lacks has no field', () => {
  const draft = changedBy('path', 'b.md')
  expect(hasItsFields(draft, input)).toBe(true)
  expect(hasItsFields(draft, { content: 'old' })).toBe(false)
})

test.each(['{', '7', '[["path"]]', 'null'])('a draft that is no change is none: %s', (broken) => {
  expect(fieldsOfDraft(broken, fields)).toEqual(fields)
  expect(textOfDraft(broken, 'old')).toBe('old')
  expect(copyOfDraft('input', broken)).toBe('')
  expect(copyOfDraft('file', broken)).toBe('')
  // It is not taken for one that was sent, after which it is removed.
  expect([isInInput('input', broken, input), isInInput('file', broken, input)]).toEqual([
    false,
    false,
  ])
})
