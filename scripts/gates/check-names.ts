import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from './layers.ts'
import { participleNames } from './names.ts'

const sources = '{src,packages/*/src,bench,scripts,test/harness}/**/*.{ts,tsx}'

const problems: string[] = []
let files = 0
for await (const file of glob(sources, { cwd: projectRoot })) {
  if (/[.](test|fixture)[.]tsx?$/.test(file)) continue
  files += 1
  problems.push(...participleNames(file, await readFile(join(projectRoot, file), 'utf8')))
}
for (const line of problems.toSorted()) console.error(`${line} is no noun`)
console.log(`${files} files, ${problems.length} names that are participles`)
if (problems.length > 0 || files === 0) process.exitCode = 1
