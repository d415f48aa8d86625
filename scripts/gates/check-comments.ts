import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { longCommentLines } from './comments.ts'
import { projectRoot } from './layers.ts'

const sources =
  '{src,packages/*/src,packages/github-gate,test,scripts,bench,tools,examples}/**/*.{ts,tsx,mjs}'

const problems: string[] = []
let files = 0
for await (const file of glob(sources, { cwd: projectRoot })) {
  files += 1
  problems.push(...longCommentLines(file, await readFile(join(projectRoot, file), 'utf8')))
}
for (const line of problems.toSorted()) console.error(line)
console.log(`${files} files, ${problems.length} comments past column 100`)
if (problems.length > 0 || files === 0) process.exitCode = 1
