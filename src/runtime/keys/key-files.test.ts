import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { writeKeyFile } from './key-files.ts'

test('a key file that cannot be written leaves no part of it', async () => {
  const folder = newFolder('countersign keys ')
  // A file replaces no folder.
  const place = join(folder, 'signing.pem')
  await mkdir(place)
  await expect(writeKeyFile(place, 'key', 0o600)).rejects.toThrow('EISDIR')
  expect(await readdir(folder)).toEqual(['signing.pem'])
})
