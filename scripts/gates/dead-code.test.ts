import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from './layers.ts'

const sources = '{src,scripts,test,bench}/**/*.{ts,tsx,mjs}'
/** A call of `glob` with the pattern of sources written into it. */
const ownPattern = /\bglob(?:Sync)?\(\s*['"`][^'"`]*\.(?:ts|tsx|\{ts,tsx\})['"`]/

test('no pattern of sources is written into a call of glob, since knip counts all that it matches as used', async () => {
  const calls: string[] = []
  for await (const file of glob(sources, { cwd: projectRoot })) {
    if (ownPattern.test(await readFile(join(projectRoot, file), 'utf8'))) calls.push(file)
  }
  expect(calls).toEqual([])
})
