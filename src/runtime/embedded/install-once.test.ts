import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { installOnce } from './install-once.ts'

let folder: string
const silent = () => undefined
beforeEach(() => {
  folder = newFolder('countersign cache ')
})

test('two starts at once make it once, and both get it', async () => {
  let made = 0
  const make = async (path: string) => {
    made += 1
    await writeFile(path, 'program')
  }
  const target = join(folder, 'program-1')
  const paths = await Promise.all([
    installOnce(target, make, silent),
    installOnce(target, make, silent),
  ])
  expect(paths).toEqual([target, target])
  expect(made).toBe(1)
  expect(await readdir(folder)).toEqual(['program-1'])
})

test('a failed attempt leaves nothing behind, and the next one succeeds', async () => {
  const target = join(folder, 'program-1')
  const failing = async (path: string) => {
    await writeFile(path, 'half')
    throw new Error('no network')
  }
  await expect(installOnce(target, failing, silent)).rejects.toThrow('no network')
  expect(await readdir(folder)).toEqual([])
  await installOnce(target, (path) => writeFile(path, 'whole'), silent)
  expect(await readFile(target, 'utf8')).toBe('whole')
})

test('the lock of a process that died does not count', async () => {
  const target = join(folder, 'program-1')
  await writeFile(`${target}.lock`, JSON.stringify({ pid: process.pid, startedAt: 'another time' }))
  await installOnce(target, (path) => writeFile(path, 'whole'), silent)
  expect(await readFile(target, 'utf8')).toBe('whole')
})
