import { expect, test } from 'vitest'
import { marksOf } from './token-marks.ts'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'

/** The marked words of a line and of its new version; `null` if nothing is marked. */
function wordsOfPair(before: string, after: string): readonly string[][] | null {
  const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${before}\n+${after}\n`
  const changes = parseUnifiedDiff(diff)?.[0]?.hunks[0]?.changes ?? []
  const marks = marksOf(changes)
  if (marks.size === 0) return null
  return changes.map((change) =>
    (marks.get(change) ?? []).map(({ start, end }) => change.content.slice(start, end)),
  )
}

test('every differing word is marked separately, on both sides', () => {
  expect(wordsOfPair('const limit = 3 * seconds', 'const limit = 30 * minutes')).toEqual([
    ['3', 'seconds'],
    ['30', 'minutes'],
  ])
})

test('lines with almost nothing in common have no marks, and very long ones are not compared by word', () => {
  expect(wordsOfPair('return total', 'if (!user) throw')).toBeNull()
  const [before, after] = [`${'x '.repeat(5_000)}a end`, `${'x '.repeat(5_000)}b end`]
  expect(wordsOfPair(before, after)).toEqual([['a'], ['b']])
})

test('a changed line is compared with its own earlier version, even if lines are added beside it', () => {
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
