import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readNamedTests, readRulings } from './rulings.ts'
import { rulingProblems, rulingsPage } from './rulings-table.ts'

/** Rulings that must have a test, by page. */
const dueNumbers = {
  'product.md': [range(1, 47)],
  'security.md': [range(1, 42)],
}

/** Rulings that need a test but have none yet, because their feature is not built. */
const notYet = new Set<string>()

const root = join(import.meta.dirname, '..', '..')
const page = join(root, 'docs', 'rulings.md')
const rulings = []
for (const name of Object.keys(dueNumbers)) {
  rulings.push(...readRulings(name, await readFile(join(root, 'docs', 'design', name), 'utf8')))
}
const testFiles = '{src,test}/**/*.test.ts'
const tests = []
const problems: string[] = []
const files: string[] = []
for await (const file of glob(testFiles, { cwd: root })) files.push(file)
for (const file of files.toSorted()) {
  const result = readNamedTests(file, await readFile(join(root, file), 'utf8'))
  tests.push(...result.tests)
  problems.push(...result.problems)
}
const due = new Set(
  Object.entries(dueNumbers).flatMap(([name, numbers]) =>
    numbers.flat().map((number) => `${name} ${number}`),
  ),
)
const table = { rulings, tests, due, notYet }
problems.push(...rulingProblems(table))
// Written only on request: if the generated page were committed, it would conflict with every
// change of a test.
if (process.argv.includes('--write')) await writeFile(page, rulingsPage(table))
for (const problem of problems) console.error(problem)
console.log(`${tests.length} tests name a ruling, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
