import { renameSync } from 'node:fs'
import { symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFile, putFiles } from '#test/harness/put-file.ts'
import { hashSources, stateOfSources } from './hash-sources.ts'

const sources = { folders: ['src'], apart: ['src/apart'], files: ['package.json'] }
const contents = new Map([
  ['src/b/c.ts', 'first'],
  ['src/b-c.ts', 'second'],
  ['src/a.ts', 'third'],
  ['package.json', '{}'],
])

let root: string
beforeEach(() => {
  root = newFolder('countersign-sources-')
  putFiles(root, contents)
})

test('each copy of the sources has one hash, however it was written, and a state of its own', async () => {
  const copy = newFolder('countersign-copy-')
  for (const [path, text] of [...contents].toReversed()) {
    putFile(copy, path, text)
    await utimes(join(copy, path), 0, 0)
  }
  expect(hashSources(copy, sources)).toBe(hashSources(root, sources))
  expect(stateOfSources(copy, sources)).not.toBe(stateOfSources(root, sources))
})

test.each([
  ['content', () => putFile(root, 'src/a.ts', 'another one')],
  ['name', () => renameSync(join(root, 'src', 'a.ts'), join(root, 'src', 'd.ts'))],
  ['file', () => putFile(root, 'src/b/new.ts', '')],
])('another %s has another hash and another state', (_what, change) => {
  const before = [hashSources(root, sources), stateOfSources(root, sources)]
  change()
  expect(hashSources(root, sources)).not.toBe(before[0])
  expect(stateOfSources(root, sources)).not.toBe(before[1])
})

test('a test, a folder apart and the mark of an open editor change neither', async () => {
  const before = [hashSources(root, sources), stateOfSources(root, sources)]
  putFile(root, 'src/a.test.ts', 'other')
  putFile(root, 'src/apart/page.tsx', 'other')
  await symlink('somebody@somewhere.1', join(root, 'src', '.#a.ts'))
  expect([hashSources(root, sources), stateOfSources(root, sources)]).toEqual(before)
})
