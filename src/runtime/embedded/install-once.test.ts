import { spawnSync } from 'node:child_process'
import { readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
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

test('where the lock does not hold, as between two hosts, nobody gets an incomplete one', async () => {
  const target = join(folder, 'program-1')
  const unlocked = Promise.withResolvers<void>()
  const half = Promise.withResolvers<void>()
  const installed = Promise.withResolvers<void>()
  const first = installOnce(
    target,
    async (path) => {
      await writeFile(path, 'whole')
      const names = await readdir(folder)
      const claims = names.filter((name) => name.startsWith('program-1.lock.'))
      // The other host takes them for those of processes that have ended.
      for (const claim of claims) await rm(join(folder, claim))
      unlocked.resolve()
      await half.promise
    },
    silent,
  )
  await unlocked.promise
  const second = installOnce(
    target,
    async (path) => {
      await writeFile(path, 'half')
      half.resolve()
      await installed.promise
      await writeFile(path, 'whole')
    },
    silent,
  )
  await first
  expect(await readFile(target, 'utf8')).toBe('whole')
  installed.resolve()
  await second
  expect(await readFile(target, 'utf8')).toBe('whole')
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

test('what a killed start left is removed later, and does not keep the next one waiting', async () => {
  const target = join(folder, 'program-1')
  const install = `import { installOnce } from ${JSON.stringify(new URL('install-once.ts', import.meta.url))}
    await installOnce(process.argv[1], async (path) => {
      const { writeFileSync } = await import('node:fs')
      writeFileSync(path, 'half')
      process.kill(process.pid, 'SIGKILL')
    }, () => undefined)`
  const args = [...process.execArgv, '--input-type=module', '-e', install, target]
  const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
  const left = (await readdir(folder)).find((name) => name.startsWith('program-1.new-'))
  await utimes(join(folder, left ?? expect.fail('it left nothing')), 0, 0)
  await installOnce(target, (path) => writeFile(path, 'whole'), silent)
  expect(await readFile(target, 'utf8')).toBe('whole')
  expect(await readdir(folder)).toEqual(['program-1'])
})

// A lock without contents would keep every later start waiting for half an hour.
test('on a full disk a start ends at once with the reason, and the next one succeeds', async ({
  skip,
}) => {
  await using disk = await SmallDisk.at(join(folder, 'disk'))
  if (disk === null) return skip('this machine permits no mount')
  const target = join(folder, 'disk', 'program-1')
  await writeFile(join(folder, 'disk', 'other'), 'other')
  const install = () => installOnce(target, (path) => writeFile(path, 'whole'), silent)
  await expect(disk.whileFull(install)).rejects.toThrow('ENOSPC')
  await install()
  expect(await readdir(join(folder, 'disk'))).toEqual(['other', 'program-1'])
})
