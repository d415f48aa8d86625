import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedRange, parseUnifiedDiff, type DiffFile } from './unified-diff.ts'

function side(files: DiffFile[] | null, type: 'insert' | 'delete'): string[] {
  const changes = (files ?? []).flatMap((file) => file.hunks.flatMap((hunk) => hunk.changes))
  return changes
    .filter((change) => change.type === 'normal' || change.type === type)
    .map((change) => change.content)
}

test('both sides of any diff are parsed line by line', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      'diff --git a b',
      '\\ No newline',
      '',
      'same',
    ),
  )
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (before, after) => {
      const clean = (lines: string[]): string[] => lines.map((one) => one.replaceAll(/[\n\r]/g, ''))
      const [old, fresh] = [clean(before), clean(after)]
      const text = (lines: string[]): string => lines.map((one) => `${one}\n`).join('')
      if (text(old) === text(fresh)) return
      const diff = createTwoFilesPatch('a/f', 'b/f', text(old), text(fresh), '', '', {
        context: 1_000,
      })
      const files = parseUnifiedDiff(diff)
      expect(side(files, 'delete')).toEqual(old)
      expect(side(files, 'insert')).toEqual(fresh)
    }),
  )
})

test('a diff with more or fewer lines than its header says is not parsed', () => {
  expect(parseUnifiedDiff('--- a/f\n+++ b/f\n@@ -1,1 +1,2 @@\n a\n+b\n')).not.toBeNull()
  expect(parseUnifiedDiff('--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n a\n+b\n')).toBeNull()
  expect(parseUnifiedDiff('--- a/f\n+++ b/f\n@@ -1,1 +1,3 @@\n a\n+b\n')).toBeNull()
  expect(parseUnifiedDiff('anything else')).toBeNull()
})

test('a missing final newline stays with its line', () => {
  const files = parseUnifiedDiff(
    '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n',
  )
  const changes = files?.[0]?.hunks[0]?.changes ?? []
  expect(changes.map((change) => change.endsWithoutNewline)).toEqual([false, true])
})

test('a new file has no old path', () => {
  const files = parseUnifiedDiff('--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1 @@\n+hello\n')
  expect(files).toMatchObject([{ oldPath: null, newPath: 'notes.md' }])
})

test('the changed range of a line lies between the common beginning and end of its versions', () => {
  expect(changedRange('min = 2;', 'min = 40;')).toEqual({ start: 6, beforeEnd: 7, afterEnd: 8 })
  expect(changedRange('aa', 'aaa')).toEqual({ start: 2, beforeEnd: 2, afterEnd: 3 })
})
