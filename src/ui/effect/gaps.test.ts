import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gapAfter, gapBefore, hunkOfGap, oldLinesOf } from './gaps.ts'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const hunksOf = (before: readonly string[], after: readonly string[]) =>
  parseUnifiedDiff(
    createTwoFilesPatch('a/x', 'b/x', text(before), text(after), '', '', { context: 1 }) ?? '',
  )?.[0]?.hunks ?? []
const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })

test('the old side is the new one with the hunks reversed, and gaps and hunks together are the whole file', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const hunks = hunksOf(before, after)
      if (hunks.length === 0) return
      expect(oldLinesOf(hunks, after)).toEqual(before)
      const lines = hunks.flatMap((hunk, index) => [
        ...hunkOfGap(gapBefore(hunks[index - 1], hunk), after).changes,
        ...hunk.changes,
      ])
      const last = hunkOfGap(gapAfter(hunks.at(-1)!, after.length), after).changes
      const all = [...lines, ...last]
      expect(all.filter(({ type }) => type !== 'delete').map((one) => one.content)).toEqual(after)
      expect(all.filter(({ type }) => type !== 'insert').map((one) => one.content)).toEqual(before)
      for (const change of all) {
        if (change.type !== 'normal') continue
        expect(before[change.oldLineNumber - 1]).toBe(after[change.newLineNumber - 1])
      }
    }),
  )
})

test('lines that do not match the hunks are refused', () => {
  const hunks = hunksOf(['a', 'b', 'c', 'd'], ['a', 'b', 'x', 'd'])
  expect(oldLinesOf(hunks, ['a', 'b', 'y', 'd'])).toBeNull()
  expect(oldLinesOf(hunks, [])).toBeNull()
})
