import { expect, test } from 'vitest'
import { changedFields, editableFields, editedInput } from './edited-input.ts'

test('an input comes back as it was when nothing is edited', () => {
  const input = {
    path: 'a.md',
    content: 'x\n',
    edits: [{ find: 'a' }],
    count: 3,
    flag: false,
    none: null,
  }
  expect(editedInput(editableFields(input))).toEqual({ input })
})

test('a member that is not JSON any more is named and nothing is sent', () => {
  const fields = editableFields({ count: 3 }).map((field) => ({ ...field, text: '3 4' }))
  expect(editedInput(fields)).toEqual({ problem: 'count is not JSON.' })
})

// Rules: security.md 22, 34
test.each([
  ['{"a":1,"a":2}', 'at: The key "a" is there twice.'],
  ['12345678901234567890', 'at: The number 12345678901234567890 is beyond 2^53: send it as text.'],
])('an edit to %s, which would be sent as something else, is not sent', (text, problem) => {
  expect(editedInput([{ name: 'at', kind: 'json', text }])).toEqual({ problem })
})

test('a text that looks like JSON stays text', () => {
  expect(editedInput(editableFields({ content: '{"a":1}' }))).toEqual({
    input: { content: '{"a":1}' },
  })
})

test('differences name what was changed, added and taken away, and nothing else', () => {
  expect(changedFields({ a: 'x', b: 1, c: true }, { a: 'y', b: 1, d: 'new' })).toEqual([
    { name: 'a', before: 'x', after: 'y' },
    { name: 'c', before: 'true', after: null },
    { name: 'd', before: null, after: 'new' },
  ])
})
