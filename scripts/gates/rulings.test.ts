import { expect, test } from 'vitest'
import { readNamedTests, readRulings } from './rulings.ts'
import { rulingProblems, rulingsPage, type RulingsTable } from './rulings-table.ts'

const design = `# Product
1. A wrong digest is **refused**: nothing changes. More of it.
2. Denials are never remembered. A later identical call asks again.
- not a ruling
`
const rulings = readRulings('product.md', design)

function table(more: Partial<RulingsTable>): RulingsTable {
  const due = new Set(['product.md 1'])
  return { rulings, tests: [], due, notYet: new Set(), ...more }
}

test('the rulings of a page are its numbered lines, each with what it begins with', () => {
  expect(rulings).toEqual([
    { id: 'product.md 1', gist: 'A wrong digest is refused: nothing changes' },
    { id: 'product.md 2', gist: 'Denials are never remembered. A later identical call asks again' },
  ])
})

test('a tag belongs to the test or group below it, which is named with the groups around it', () => {
  const text = `
// Rules: product.md 1
describe('a decision', () => {
  test('without a tag', () => {})

  // Rules: product.md 1, 2; security.md 6
  test('of a \\'wrong\\' digest', async () => {})

  // Rules: product.md 2
  test.each([['a', 'b']])(
    'the decision %s',
    () => {},
  )
})
`
  expect(readNamedTests('a.test.ts', text)).toEqual({
    problems: [],
    tests: [
      { file: 'a.test.ts', title: 'a decision', rulings: ['product.md 1'] },
      {
        file: 'a.test.ts',
        title: "a decision › of a 'wrong' digest",
        rulings: ['product.md 1', 'product.md 2', 'security.md 6'],
      },
      { file: 'a.test.ts', title: 'a decision › the decision %s', rulings: ['product.md 2'] },
    ],
  })
})

test('a tag above no test, and one that is written in another way, are problems', () => {
  const lines = [
    '// Rules: product.md 1',
    'const a = 1',
    '// Rules: ruling 1',
    "test('a', () => {})",
  ]
  expect(readNamedTests('a.test.ts', lines.join('\n')).problems).toEqual([
    'a.test.ts:1: this tag stands above no test',
    'a.test.ts:3: write `// Rules: product.md 10, 14; security.md 13`',
  ])
})

test('a page without numbered rules may be named beside one that has them', () => {
  const lines = [
    '// Rules: product.md 1; workers-and-policy.md, custom tools',
    "test('a', () => {})",
  ]
  expect(readNamedTests('a.test.ts', lines.join('\n'))).toMatchObject({
    problems: [],
    tests: [{ rulings: ['product.md 1'] }],
  })
})

test('a due ruling without a test, the name of a missing ruling and an unneeded exemption are problems', () => {
  expect(rulingProblems(table({}))).toEqual(['no test names product.md 1'])
  expect(rulingProblems(table({ notYet: new Set(['product.md 1']) }))).toEqual([])
  const tests = [{ file: 'a.test.ts', title: 'a', rulings: ['product.md 1', 'product.md 9'] }]
  expect(rulingProblems(table({ tests, notYet: new Set(['product.md 1']) }))).toEqual([
    'a.test.ts: there is no product.md 9 ("a")',
    'product.md 1 has a test by now: take it off the list notYet',
  ])
})

test('the page has each ruling with the tests that name it, and no markup of a title counts', () => {
  const tests = [
    { file: 'src/a/b.it.test.ts', title: 'one | `two`', rulings: ['product.md 1'] },
    { file: 'src/a/b.it.test.ts', title: 'three', rulings: ['product.md 1'] },
  ]
  const page = rulingsPage(table({ tests }))
  expect(page).toContain(
    String.raw`| 1 | A wrong digest is refused: nothing changes | [b](../src/a/b.it.test.ts): one \| \`two\`; three |`,
  )
  expect(page).not.toContain('| 2 |')
})
