import { expect, test } from 'vitest'
import { marksOf, marksOfPair } from './token-marks.ts'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'

const words = (text: string, marks: readonly { start: number; end: number }[]) =>
  marks.map(({ start, end }) => text.slice(start, end))

test('every word that differs is marked by itself, on both sides', () => {
  const [before, after] = ['const limit = 3 * seconds', 'const limit = 30 * minutes']
  const found = marksOfPair(before, after)
  expect(words(before, found?.before ?? [])).toEqual(['3', 'seconds'])
  expect(words(after, found?.after ?? [])).toEqual(['30', 'minutes'])
})

test('lines that share next to nothing have no marks, and very long ones are not compared by word', () => {
  expect(marksOfPair('return total', 'if (!user) throw')).toBeNull()
  const [before, after] = [`${'x '.repeat(5_000)}a end`, `${'x '.repeat(5_000)}b end`]
  expect(words(before, marksOfPair(before, after)?.before ?? [])).toEqual(['a'])
})

test('a changed line is compared with its version, also where lines are added beside it', () => {
  const diff = `--- a/x
+++ b/x
@@ -1,1 +1,3 @@
-  pay(invoice.total)
+  // checked above
+  pay(invoice.amount)
+  done()
`
  const changes = parseUnifiedDiff(diff)?.[0]?.hunks[0]?.changes ?? []
  const marks = marksOf(changes)
  const marked = changes.filter((change) => marks.has(change)).map(({ content }) => content)
  expect(marked).toEqual(['  pay(invoice.total)', '  pay(invoice.amount)'])
})
