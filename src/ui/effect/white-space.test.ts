import { createTwoFilesPatch } from 'diff'
import { expect, test } from 'vitest'
import { parseUnifiedDiff } from './unified-diff.ts'
import { linesIn, splitByWhiteSpace } from './white-space.ts'

const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
function hunksOf(change: (line: string, index: number) => string) {
  const after = lines.map(change).join('\n')
  const [file] = parseUnifiedDiff(createTwoFilesPatch('a', 'a', lines.join('\n'), after)) ?? []
  return file?.hunks ?? []
}

test('hunks that change white space alone are grouped apart from the others, in order', () => {
  const hunks = hunksOf((line, index) =>
    index < 12 ? `  ${line}` : index === 30 ? `${line} more` : line,
  )
  expect(splitByWhiteSpace(hunks).map((group) => group.whiteSpaceOnly)).toEqual([true, false])
  expect(linesIn(hunks)).toBeGreaterThan(24)
})

test('a hunk with one other change is not folded', () => {
  const hunks = hunksOf((line, index) => (index === 3 ? 'other' : index < 8 ? ` ${line}` : line))
  expect(splitByWhiteSpace(hunks)).toMatchObject([{ whiteSpaceOnly: false }])
})

test('a line that is added is more than white space', () => {
  const hunks = hunksOf((line, index) => (index === 5 ? `${line}\n` : line))
  expect(splitByWhiteSpace(hunks)).toMatchObject([{ whiteSpaceOnly: false }])
})
