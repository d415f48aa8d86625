import { spawnSync } from 'node:child_process'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { checkoutFolder } from '../folders.ts'
import { dashboardSources, putInPlace } from './build-ui.ts'

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

/** A dashboard that somebody built of these sources. */
async function build(folder: string, sources: string, builder: string): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, '.source'), sources)
  await writeFile(join(folder, 'index.html'), builder)
  return folder
}

test('a build that ends after another one of the same sources leaves its files to who serves them', async () => {
  const parent = newFolder('countersign-build-ui-')
  const place = join(parent, 'ui')
  await putInPlace(await build(`${place}.1`, 'these sources', 'the first'), place)
  const serving = await readdir(place)
  await putInPlace(await build(`${place}.2`, 'these sources', 'the second'), place)
  expect(await readdir(place)).toEqual(serving)
  expect(await readFile(join(place, 'index.html'), 'utf8')).toBe('the first')
})

test('a build of other sources takes the place of the earlier one, of which nothing stays', async () => {
  const parent = newFolder('countersign-build-ui-')
  const place = join(parent, 'ui')
  await writeFile(join(await build(place, 'earlier sources', 'the earlier'), 'old.js'), '')
  await putInPlace(await build(`${place}.1`, 'these sources', 'the new'), place)
  expect(await readdir(parent)).toEqual(['ui'])
  expect((await readdir(place)).toSorted()).toEqual(['.source', 'index.html'])
  expect(await readFile(join(place, 'index.html'), 'utf8')).toBe('the new')
})

test('of builds of the same sources that end at about one time, the first stays', async () => {
  const parent = newFolder('countersign-build-ui-')
  for (let round = 0; round < 8; round += 1) {
    const place = join(parent, `ui${round}`)
    await build(place, 'earlier sources', 'the earlier')
    const texts = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const built = await build(`${place}.${index}`, 'these sources', `number ${index}`)
        for (let call = 0; call < index; call += 1) await readdir(place).catch(() => [])
        await putInPlace(built, place)
        return readFile(join(place, 'index.html'), 'utf8').catch(() => 'moved away')
      }),
    )
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toMatch(/^number/)
  }
})

test('a build that was killed while it put its dashboard in place stops no other one', async () => {
  const parent = newFolder('countersign-build-ui-')
  const place = join(parent, 'ui')
  const { pid } = spawnSync(process.execPath, ['-e', 'process.exit()'])
  await writeFile(`${place}.lock.0123456789abcdef-${pid}-bG9uZyBhZ28`, '')
  await putInPlace(await build(`${place}.1`, 'these sources', 'the new'), place)
  expect(await readdir(parent)).toEqual(['ui'])
})
