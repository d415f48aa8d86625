import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFile } from '#test/harness/put-file.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { checkoutFolder, entryFile } from '../folders.ts'
import { whileHolding } from '../processes/hold-file.ts'
import {
  bundledLibraries,
  bundleName,
  recordBundleUse,
  removeUnused,
  serviceBundles,
  serviceEntry,
  serviceSources,
} from './service-bundle.ts'

let root: string
beforeAll(() => {
  root = newFolder('countersign-sources-')
  const files = [
    ...serviceSources.files,
    ...[...bundledLibraries, 'rolldown'].map((name) => `node_modules/${name}/package.json`),
    'packages/client/src/index.ts',
    'packages/tools/src/index.ts',
    'src/cli/main.ts',
    'src/ui/page.tsx',
  ]
  for (const file of files) putFile(root, file, 'first')
})

test.each([
  'src/cli/main.ts',
  'packages/client/src/index.ts',
  'package-lock.json',
  'node_modules/kysely/package.json',
  'src/cli/new.ts',
])(
  'a change of %s has the service bundled again, also with the size and the time of before',
  async (file) => {
    const before = bundleName(root)
    expect(bundleName(root)).toBe(before)
    const time = new Date('2026-01-01T00:00:00Z')
    putFile(root, file, 'other')
    await utimes(join(root, file), time, time)
    const after = bundleName(root)
    expect(after).not.toBe(before)
    // Linux before 6.13 gives changes within one tick of its clock, 10 ms at most, the same time.
    await waitUntil(async () => {
      putFile(root, file, 'third')
      await utimes(join(root, file), time, time)
      return bundleName(root) !== after
    })
  },
)

test('a change of the dashboard or of a test does not', async () => {
  const before = bundleName(root)
  putFile(root, 'src/ui/page.tsx', 'other')
  putFile(root, 'src/cli/main.test.ts', 'other')
  expect(bundleName(root)).toBe(before)
})

test('of the bundles that no service used for two days five stay, and all others', async () => {
  const bundles = newFolder('countersign-bundles-')
  const now = new Date('2026-11-30T00:00:00Z')
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3_600_000)
  for (const days of [1, 1.9, 2, 3, 4, 5, 6, 7, 400]) {
    const name = String(days)
    putFile(bundles, `${name}/main.js`, '')
    await utimes(join(bundles, name), daysAgo(days), daysAgo(days))
  }
  await removeUnused(bundles, now)
  expect(await readdir(bundles)).toEqual(['1', '1.9', '2', '3', '4', '5', '6'])
})

test('a bundle whose time cannot be set is no failure', async () => {
  await expect(recordBundleUse(join(root, 'dist', 'service', 'none'))).resolves.toBeUndefined()
})

test('sources that cannot be bundled run as they are, with a sentence', async () => {
  const sentences: string[] = []
  const say = (sentence: string) => void sentences.push(sentence)
  expect(await serviceEntry({ checkout: root, say })).toBe(entryFile)
  expect(sentences).toEqual([expect.stringContaining('they could not be bundled')])
})

test('a stop ends the bundling, of which nobody reads that it failed', async () => {
  const sentences: string[] = []
  const say = (sentence: string) => void sentences.push(sentence)
  const entry = serviceEntry({ checkout: root, say, stop: AbortSignal.abort() })
  await expect(entry).rejects.toThrow('aborted')
  expect(sentences).toEqual([])
})

test('a stop ends the wait for another start that bundles', async () => {
  await mkdir(join(root, serviceBundles), { recursive: true })
  const lock = { file: join(root, serviceBundles, `${bundleName(root)}.lock`), waitMs: 1000 }
  const stopping = new AbortController()
  await whileHolding(lock, async () => {
    const say = () => stopping.abort()
    const entry = serviceEntry({ checkout: root, say, stop: stopping.signal })
    await expect(entry).rejects.toThrow('aborted')
    expect(stopping.signal.aborted).toBe(true)
  })
})

test('the bundle is the command, in one byte for each character, and knows where the sources are', async () => {
  const entry = await serviceEntry({ checkout: checkoutFolder, say: () => undefined })
  const { version } = JSON.parse(await readFile(join(checkoutFolder, 'package.json'), 'utf8'))
  const { stdout } = await promisify(execFile)(process.execPath, [entry, '--version'])
  expect(stdout.trim()).toBe(version)
  const folder = dirname(entry)
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  )
  expect(texts.filter((text) => /[^\0-\u00FF]/.test(text))).toEqual([])
  const places = texts.flatMap((text) => [
    ...text.matchAll(/new URL\("([^"]*)", import\.meta\.url\)/g),
  ])
  expect(places.length).toBeGreaterThan(10)
  for (const [, path = ''] of places) {
    expect(await readFile(join(folder, path), 'utf8'), path).toContain('import.meta')
  }
})
