import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { writeOut } from './write-out.ts'

const folder = newFolder('countersign-out-')
const at = (name: string): string => join(folder, name)
const bytes = Buffer.from('exported\n')

test('a link in the place of the file is replaced, and the file to which it leads stays', async () => {
  writeFileSync(at('other'), 'kept\n')
  symlinkSync('other', at('link'))
  symlinkSync('absent', at('broken'))
  for (const name of ['link', 'broken', 'new']) {
    await writeOut(at(name), bytes)
    expect(readFileSync(at(name), 'utf8'), name).toBe('exported\n')
  }
  expect(readFileSync(at('other'), 'utf8')).toBe('kept\n')
  expect(readdirSync(folder).toSorted()).toEqual(['broken', 'link', 'new', 'other'])
})

test('a file in the place keeps its mode', async () => {
  writeFileSync(at('private'), 'earlier, and longer than the new contents\n', { mode: 0o600 })
  await writeOut(at('private'), bytes)
  expect(readFileSync(at('private'), 'utf8')).toBe('exported\n')
  expect(statSync(at('private')).mode & 0o777).toBe(0o600)
})

test('a folder, a device and a pipe are refused', async () => {
  await mkdir(at('folder'))
  symlinkSync('folder', at('to-folder'))
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/null', at('to-device'))
  for (const [name, why] of [
    ['folder', 'is a folder: name a file with --out'],
    ['to-folder', 'is a folder: name a file with --out'],
    ['pipe', 'is not a file: without --out it is printed'],
    ['to-device', 'is not a file: without --out it is printed'],
  ] as const) {
    const refusal = { message: `${at(name)} ${why}`, exitCode: 2 }
    await expect(writeOut(at(name), bytes)).rejects.toMatchObject(refusal)
  }
  for (const shared of ['/dev/stdout', '/dev/null']) {
    await expect(writeOut(shared, bytes)).rejects.toThrow('is not a file')
  }
})
