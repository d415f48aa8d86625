import { randomBytes, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { sweepUnfinished } from './remove-worktree.ts'
import { recordName, worktreesFolder } from './worktree-record.ts'

let dataDir: string
const now = new Date('2026-11-27T12:00:00Z')
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 60 * 60 * 1000)

beforeEach(() => void (dataDir = newFolder('sweep-')))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** A folder with a worktree's files, last changed so many hours ago. */
function put(name: string, hours: number): string {
  const folder = join(worktreesFolder(dataDir), name)
  mkdirSync(join(folder, 'tree/src'), { recursive: true })
  writeFileSync(join(folder, 'tree/src/a.ts'), 'a')
  writeFileSync(join(folder, recordName), '{}')
  utimesSync(folder, hoursAgo(hours), hoursAgo(hours))
  return name
}
const unfinishedName = (): string => `${randomUUID()}.${randomBytes(8).toString('hex')}.new`
const left = (): string[] => readdirSync(worktreesFolder(dataDir)).toSorted()

// Rules: product.md 35
test('an unfinished worktree is removed after a day, and not before', async () => {
  const [old, young] = [put(unfinishedName(), 25), put(unfinishedName(), 23)]
  await sweepUnfinished(dataDir, now)
  expect(left()).toEqual([young])
  expect(old).not.toBe(young)
  await sweepUnfinished(dataDir, hoursAgo(-2))
  expect(left()).toEqual([])
})

test('a finished worktree and everything with another name stay, however old they are', async () => {
  const names = [
    randomUUID(),
    `${unfinishedName()}.bak`,
    `x${unfinishedName()}`,
    `${randomUUID()}.new`,
    'notes.new',
  ].map((name) => put(name, 24 * 365))
  await sweepUnfinished(dataDir, now)
  expect(left()).toEqual(names.toSorted())
})

test('links in place of such a folder, or in it, cause no removal elsewhere', async () => {
  const outside = join(dataDir, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'kept.txt'), 'kept')
  const folder = put(unfinishedName(), 48)
  symlinkSync(outside, join(worktreesFolder(dataDir), folder, 'tree/out'))
  utimesSync(join(worktreesFolder(dataDir), folder), hoursAgo(48), hoursAgo(48))
  symlinkSync(outside, join(worktreesFolder(dataDir), unfinishedName()))
  await sweepUnfinished(dataDir, new Date(Date.now() + 48 * 60 * 60 * 1000))
  expect(left()).toEqual([])
  expect(existsSync(join(outside, 'kept.txt'))).toBe(true)
})

test('without a folder of worktrees there is nothing to do', async () => {
  await sweepUnfinished(dataDir, now)
  expect(existsSync(worktreesFolder(dataDir))).toBe(false)
})
