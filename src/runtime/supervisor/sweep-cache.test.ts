import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sweepCache } from './sweep-cache.ts'

const now = new Date('2026-11-27T00:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3_600_000)
const version = join('compiled', 'v24-x64')

let cache: string
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'cache '))
  await mkdir(join(cache, version), { recursive: true })
})
afterEach(() => rm(cache, { recursive: true }))

async function put(name: string, read: number, written: number): Promise<void> {
  await writeFile(join(cache, name), 'text')
  await utimes(join(cache, name), daysAgo(read), daysAgo(written))
}

test('compiled sources and bundles that nobody used for a week are removed; what was read or written since stays', async () => {
  await put(join(version, 'old'), 8, 40)
  await put(join(version, 'read'), 6, 40)
  await put(join(version, 'written'), 40, 6)
  await put('workflows-0a1b.js', 8, 8)
  await put('workflows-2c3d.js', 1, 8)
  expect(await sweepCache(cache, now)).toBe(2)
  expect(await readdir(join(cache, version))).toEqual(['read', 'written'])
  expect(await readdir(cache)).toEqual(['compiled', 'workflows-2c3d.js'])
})

test('files that took minutes to download or build stay, however old they are', async () => {
  const names = ['temporal-1.2.3-linux-x64', 'workflows-notes.js', join('compiled', 'note')]
  for (const name of names) await put(name, 400, 400)
  expect(await sweepCache(cache, now)).toBe(0)
  expect(await sweepCache(join(cache, 'none'), now)).toBe(0)
  expect(await readdir(cache)).toHaveLength(3)
})

test('the cache is swept once a day at most', async () => {
  expect(await sweepCache(cache, daysAgo(1.5))).toBe(0)
  await put(join(version, 'old'), 40, 40)
  expect(await sweepCache(cache, daysAgo(1))).toBe(0)
  expect(await readdir(join(cache, version))).toEqual(['old'])
  expect(await sweepCache(cache, now)).toBe(1)
})
