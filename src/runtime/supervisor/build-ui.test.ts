import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkoutFolder } from '../folders.ts'
import { dashboardSources } from './build-ui.ts'

test('a change of any folder whose code the dashboard imports has it built again', async () => {
  const entries = await readdir(join(checkoutFolder, 'src', 'ui'), {
    recursive: true,
    withFileTypes: true,
  })
  const files = entries.filter(({ name }) => /\.tsx?$/.test(name) && !/\.test\./.test(name))
  const texts = await Promise.all(
    files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  )
  const imported = /^import (?:\{[^}]*\}|\w+|\* as \w+) from '#([a-z-]+)\//gm
  const folders = texts.flatMap((text) =>
    [...text.matchAll(imported)].map((found) => `src/${found[1]}`),
  )
  expect(folders).toContain('src/client')
  expect(dashboardSources.folders).toEqual(expect.arrayContaining([...new Set(folders)]))
})
