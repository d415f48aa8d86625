import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { removeGitLocks } from './remove-locks.ts'

let root: string
let lock: string
beforeEach(() => {
  root = newFolder('countersign-locks-')
  mkdirSync(join(root, '.git'))
  lock = join(root, '.git/index.lock')
  writeFileSync(lock, '')
})

const worktree = { branch: 'countersign/1-scribe' }

test('a lock of Git goes if no Git is at work in the worktree of a run, and stays otherwise', async () => {
  await removeGitLocks({ root }, async () => false)
  await removeGitLocks({ root, worktree }, async () => true)
  expect(existsSync(lock)).toBe(true)
  await removeGitLocks({ root, worktree }, async () => false)
  expect(existsSync(lock)).toBe(false)
})

test('a lock that another Git takes while a left one is removed stays', async () => {
  await removeGitLocks({ root, worktree }, async () => {
    renameSync(lock, `${lock}.ended`)
    writeFileSync(lock, '')
    return false
  })
  expect(existsSync(lock)).toBe(true)
  rmSync(lock)
  await removeGitLocks({ root, worktree }, async () => false)
})
