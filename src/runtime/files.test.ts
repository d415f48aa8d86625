import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
import { exists, isProgram, writeWhole } from './files.ts'

const folder = newFolder('countersign-files-')

test('a file without the right to run it exists and is no program', async () => {
  const file = join(folder, 'text')
  await writeFile(file, '', { mode: 0o644 })
  expect([await exists(file), await isProgram(file)]).toEqual([true, false])
  expect(await isProgram(process.execPath)).toBe(true)
  expect(await exists(join(folder, 'absent'))).toBe(false)
})

test('a written file has its mode and leaves nothing beside it', async () => {
  const file = join(folder, 'whole')
  await writeWhole(file, 'one', 0o600)
  await writeWhole(file, 'three', 0o600)
  const { mode, size } = await stat(file)
  expect([mode & 0o777, size]).toEqual([0o600, 5])
  expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([])
})

test('a full disk leaves the old file whole, and nothing beside it', async ({ skip }) => {
  await using disk = await SmallDisk.at(join(folder, 'disk'))
  if (disk === null) return skip('this machine permits no mount')
  const file = join(folder, 'disk', 'whole')
  await writeWhole(file, 'old', 0o600)
  await expect(disk.whileFull(() => writeWhole(file, 'new', 0o600))).rejects.toThrow('ENOSPC')
  expect(await readFile(file, 'utf8')).toBe('old')
  expect(await readdir(join(folder, 'disk'))).toEqual(['whole'])
})
