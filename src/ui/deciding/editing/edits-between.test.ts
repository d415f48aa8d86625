import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEdits } from '#tools/files/edit-file.ts'
import { editsBetween } from './edits-between.ts'

test('the edits turn the old text into the new one by the rules of the tool, whatever passages repeat in it', () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', '', '  a'), { maxLength: 12 }), fc.boolean())
    .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const edits = editsBetween(before, after)
      if (before === after || before === '') expect(edits).toBeNull()
      else expect(applyEdits(before, edits ?? [])).toBe(after)
    }),
  )
})

test('a small change of a long file is a small edit', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`)
  const after = lines.map((line) => (line === 'line 250' ? 'other' : line))
  const edits = editsBetween(`${lines.join('\n')}\n`, `${after.join('\n')}\n`)
  expect(edits).toEqual([
    { find: 'line 249\nline 250\nline 251\n', replace: 'line 249\nother\nline 251\n' },
  ])
})
