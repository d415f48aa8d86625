import { createTwoFilesPatch } from 'diff'
import { expect, test } from 'vitest'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'
import { isWhiteSpaceOnly, linesIn, whiteSpaceChanges } from './white-space.ts'

const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
function hunksOf(change: (line: string, index: number) => string) {
  const after = lines.map(change).join('\n')
  const [file] = parseUnifiedDiff(createTwoFilesPatch('a', 'a', lines.join('\n'), after)) ?? []
  return file?.hunks ?? []
}

test('hunks that change only white space are recognised', () => {
  const hunks = hunksOf((line, index) =>
    index < 12 ? `  ${line}` : index === 30 ? `${line} more` : line,
  )
  expect(hunks.map(isWhiteSpaceOnly)).toEqual([true, false])
  expect(linesIn(hunks)).toBeGreaterThan(24)
})

test('a hunk with any other change is not folded, and its lines that change only white space are known', () => {
  const hunks = hunksOf((line, index) => (index === 3 ? 'other' : index < 8 ? ` ${line}` : line))
  expect(hunks.map(isWhiteSpaceOnly)).toEqual([false])
  const quiet = [...whiteSpaceChanges(hunks)].map(({ content }) => content.trim())
  expect(quiet.toSorted()).toEqual(
    [0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6, 7, 7].map((number) => `line ${number}`),
  )
})

test('a line that is added is more than white space', () => {
  const hunks = hunksOf((line, index) => (index === 5 ? `${line}\n` : line))
  expect(hunks.map(isWhiteSpaceOnly)).toEqual([false])
})
