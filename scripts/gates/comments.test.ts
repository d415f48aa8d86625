import { expect, test } from 'vitest'
import { longCommentLines } from './comments.ts'

const words = (columns: number): string => 'word '.repeat(Math.ceil(columns / 5)).slice(0, columns)

test('a comment may fill 100 columns and no more, whatever its kind', () => {
  const fits = `// ${words(97).replace(/ $/, 'x')}\n`
  expect(longCommentLines('a.ts', fits)).toEqual([])
  expect(longCommentLines('a.ts', fits.replace('\n', 'x\n'))).toEqual([
    'a.ts:1: a comment of 101 columns',
  ])
  expect(longCommentLines('a.ts', `const a = 1 // ${words(120)}x\n`)).toHaveLength(1)
  expect(longCommentLines('a.ts', `/**\n * short\n * ${words(120)}x\n */\n`)).toEqual([
    'a.ts:3: a comment of 124 columns',
  ])
  expect(longCommentLines('a.tsx', `const a = <p>{/* ${words(120)} */}</p>\n`)).toHaveLength(1)
})

test('what looks like a comment in a text is none, and a URL need not be broken', () => {
  expect(longCommentLines('a.ts', `const a = \`\n// ${words(120)}x\n\`\n`)).toEqual([])
  expect(longCommentLines('a.ts', `// https://example.com/${'x'.repeat(120)}\n`)).toEqual([])
})
