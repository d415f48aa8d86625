import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from './layers.ts'

const sources = '{src,scripts,test,bench}/**/*.{ts,tsx,mjs}'
/** A call of `glob` with the pattern of sources written into it. */
const ownPattern = /\bglob(?:Sync)?\(\s*['"`][^'"`]*\.(?:ts|tsx|\{ts,tsx\})['"`]/

test('no call of glob contains a pattern of source files, because knip would count every match as used', async () => {
  const calls: string[] = []
  for await (const file of glob(sources, { cwd: projectRoot })) {
    if (ownPattern.test(await readFile(join(projectRoot, file), 'utf8'))) calls.push(file)
  }
  expect(calls).toEqual([])
})
