import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { checkoutFolder } from '#runtime/folders.ts'
import { bundledLibraries, serviceSources } from '#runtime/supervisor/service-bundle.ts'
import { bundleService } from './bundle-service.ts'

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

test('a bundle has the sources whose changes have it made again, and libraries that are pinned and depend on nothing', async () => {
  const entry = join(checkoutFolder, 'src', 'cli', 'main.ts')
  const folder = newFolder('countersign-bundle-')
  const paths = await bundleService({ entry, folder, place: folder })
  const modules = paths.filter((path) => path.startsWith(checkoutFolder))
  const names = modules.map((path) => relative(checkoutFolder, path))
  expect(names).toContain('src/runtime/api/run-api.ts')
  const { folders, apart, files } = serviceSources
  const isSource = (name: string): boolean =>
    files.includes(name) ||
    (folders.some((one) => name.startsWith(`${one}/`)) &&
      !apart.some((one) => name.startsWith(`${one}/`)))
  const others = names.filter((name) => !isSource(name))
  const libraries = new Set(others.map((name) => /^node_modules\/[^/]+/.exec(name)?.[0] ?? name))
  const places = [...bundledLibraries].map((name) => `node_modules/${name}`)
  expect([...libraries].toSorted()).toEqual(places)
  const { dependencies = {} } = await manifestOf(checkoutFolder)
  for (const library of libraries) {
    const manifest = await manifestOf(join(checkoutFolder, library))
    expect(dependencies[library.slice('node_modules/'.length)]).toBe(manifest.version)
    expect(manifest.dependencies ?? {}, library).toEqual({})
  }
})
