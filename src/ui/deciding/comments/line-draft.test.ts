import { expect, test } from 'vitest'
import { lineDraftField, lineOfDraftField } from './line-draft.ts'

test.each([
  { file: 'notes/1.2.md', side: 'new', line: 2 },
  { file: 'a name\nwith 2 lines .md', side: 'old', line: 120 },
] as const)('the field of a draft names its line: $file', (anchor) => {
  expect(lineOfDraftField(lineDraftField(anchor))).toEqual(anchor)
})

test.each(['reason', 'edit new 1 a.md', 'line both 1 a.md', 'line new x a.md'])(
  'the field %j is of no line',
  (field) => {
    expect(lineOfDraftField(field)).toBeNull()
  },
)
