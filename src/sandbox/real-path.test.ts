import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { realPathOf } from './real-path.ts'

const root = newFolder('countersign-real-')
mkdirSync(path.join(root, 'a/b'), { recursive: true })
mkdirSync(path.join(root, 'c'))
writeFileSync(path.join(root, 'a/b/file'), '')
symlinkSync('../a/b', path.join(root, 'c/link'))
symlinkSync('nowhere', path.join(root, 'c/dangling'))
symlinkSync('loop', path.join(root, 'c/loop'))

test('links in a path are followed, and .. applies to their targets', async () => {
  expect(await realPathOf(`${root}/c/link/file`)).toBe(`${root}/a/b/file`)
  expect(await realPathOf(`${root}/c/link/../b/file`)).toBe(`${root}/a/b/file`)
  expect(await realPathOf(`${root}/c/link/new/x`)).toBe(`${root}/a/b/new/x`)
  expect(await realPathOf(`${root}/./c//`)).toBe(`${root}/c`)
})

test('a path that cannot be resolved has no real path', async () => {
  for (const rest of [
    'c/dangling',
    'c/dangling/x',
    'c/loop',
    'c/none/../x',
    'a/b/file/x',
    'c/\0',
  ]) {
    expect(await realPathOf(`${root}/${rest}`), rest).toBeNull()
  }
  expect(await realPathOf('a/b')).toBeNull()
})
