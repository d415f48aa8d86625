import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readNamedTests, readRulings } from './rulings.ts'
import { rulingProblems, rulingsPage } from './rulings-table.ts'

/** Rulings that must have a test, by page. */
const dueNumbers = { 'product.md': [range(1, 27)], 'security.md': [range(1, 22), range(24, 26)] }

/** Due, and without a test until what they speak of is built. */
const notYet = new Set<string>()

const root = join(import.meta.dirname, '..', '..')
const page = join(root, 'docs', 'rulings.md')
const rulings = []
for (const name of Object.keys(dueNumbers)) {
  rulings.push(...readRulings(name, await readFile(join(root, 'docs', 'design', name), 'utf8')))
}
const tests = []
const problems: string[] = []
const files: string[] = []
for await (const file of glob('{src,test}/**/*.test.ts', { cwd: root })) files.push(file)
for (const file of files.toSorted()) {
  const found = readNamedTests(file, await readFile(join(root, file), 'utf8'))
  tests.push(...found.tests)
  problems.push(...found.problems)
}
const due = new Set(
  Object.entries(dueNumbers).flatMap(([name, numbers]) =>
    numbers.flat().map((number) => `${name} ${number}`),
  ),
)
const table = { rulings, tests, due, notYet }
problems.push(...rulingProblems(table))
const text = rulingsPage(table)
if (process.argv.includes('--write')) await writeFile(page, text)
else if ((await readFile(page, 'utf8').catch(() => '')) !== text) {
  problems.push(
    'docs/rulings.md is not current: node scripts/run.mjs scripts/gates/check-rulings.ts --write',
  )
}
for (const problem of problems) console.error(problem)
console.log(`${tests.length} tests name a ruling, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
