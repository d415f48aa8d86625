import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { readWritten, recordWritten } from './files-record.ts'

let folder: string
beforeEach(() => void (folder = newFolder('files-record-')))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// Rules: product.md 3, 35
test('a line of which a full disk took half hides no write before or after it', async () => {
  await recordWritten(folder, 'a.txt', 'sha256:1')
  appendFileSync(join(folder, 'written.jsonl'), '\n["b.txt","sha2')
  await recordWritten(folder, 'c.txt', null)
  await recordWritten(folder, 'd.txt', 'sha256:2')
  await recordWritten(folder, 'd.txt')
  expect(await readWritten(folder)).toEqual(
    new Map([
      ['a.txt', 'sha256:1'],
      ['c.txt', null],
    ]),
  )
})
