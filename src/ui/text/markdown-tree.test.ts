import { expect, test } from 'vitest'
import { markdownTree } from './markdown-tree.ts'

test('markdown is read as a tree; what is too long or nested too deep is plain text', () => {
  const tree = markdownTree('# A\n\n- **b** `c`\n\n| d |\n|---|\n| e |')
  expect(tree?.children.map(({ type }) => type)).toEqual(['heading', 'list', 'table'])
  expect(markdownTree('x'.repeat(17_000))).toBeNull()
  expect(markdownTree(`${'> '.repeat(200)}deep`)).toBeNull()
  expect(markdownTree(`${'- '.repeat(30)}deep`)).toBeNull()
})

const maxCharacters = 16 * 1024
const filled = (piece: string): string => piece.repeat(maxCharacters / piece.length)

// Rules: security.md 27
test.each([
  ['brackets', filled('[')],
  ['images', filled('![a](')],
  ['stars', filled('*a _a ')],
  ['backticks', Array.from({ length: 170 }, (_, at) => '`'.repeat(at)).join(' a ')],
  ['quotes', filled('> a\n')],
  ['lists', Array.from({ length: 170 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')],
  ['tables', `|a|a|\n|-|-|\n${'|b|b|\n'.repeat(2500)}`],
  ['references', filled('[a]: b\n')],
])('no text takes seconds to read: %s', (_, text) => {
  expect(text.length).toBeLessThanOrEqual(maxCharacters)
  const begun = process.cpuUsage()
  expect(markdownTree(text)).not.toBeNull()
  // Processor time, because a process waits on a busy machine.
  expect(process.cpuUsage(begun).user).toBeLessThan(3_000_000)
})
