import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { moveFile, removeFile, replaceFile } from './change-file.ts'
import { withLockedFiles } from './lock-files.ts'
import { openDirectory, plainWalk } from './open-directory.ts'
import { openWorkspace } from './workspace.ts'

const lockOf = (name: string): string =>
  `.countersign-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.tmp`

// Rules: security.md 10
test('the lock of a killed writer delays the next writer once, and none after that', async () => {
  const root = newFolder('locks-')
  for (const name of ['a.md', 'b.md']) writeFileSync(path.join(root, name), 'one\n')
  writeFileSync(path.join(root, lockOf('a.md')), '')
  // No lock at all, and nothing that could be removed as one.
  mkdirSync(path.join(root, lockOf('b.md'), 'deep'), { recursive: true })
  const workspace = await openWorkspace({ root, hidden: [] })
  const base = hashBytes('one\n')
  const writers = ['two', 'three'].map((text) => workspace.write('a.md', Buffer.from(text), base))
  const outcomes = await Promise.allSettled(writers)
  // Either writer may take the lock first.
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(outcomes).toContainEqual(
    expect.objectContaining({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'stale' }),
    }),
  )
  await workspace.write('b.md', Buffer.from('two'), base)
  expect(readdirSync(root)).not.toContain(lockOf('a.md'))
}, 120_000)

// Rules: security.md 10
test('a lock that is held for longer than that, to compare a large file, is not taken by the next writer', async () => {
  await using directory = await openDirectory(plainWalk(newFolder('long-lock-')), [], false)
  const place = { directory, name: 'a.md', at: 'a.md' }
  const compared = Promise.withResolvers<void>()
  const order: string[] = []
  const first = withLockedFiles([place], async () => {
    await compared.promise
    order.push('first')
  })
  const lock = directory.child(lockOf('a.md'))
  await waitUntil(() => existsSync(lock))
  const second = withLockedFiles([place], async () => {
    order.push('second')
  })
  const changes = new Set<number>()
  const begunMs = performance.now()
  await waitUntil(() => {
    if (existsSync(lock)) changes.add(statSync(lock).mtimeMs)
    return order.length > 0 || performance.now() - begunMs > 12_000
  })
  expect(order).toEqual([])
  expect(changes.size).toBeGreaterThan(1)
  compared.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second'])
  expect(existsSync(lock)).toBe(false)
}, 120_000)

// Rules: security.md 10
test('a lock that another process holds for over a minute refuses the next writer', async () => {
  const root = newFolder('held-lock-')
  writeFileSync(path.join(root, 'a.md'), 'one\n')
  const lock = path.join(root, lockOf('a.md'))
  writeFileSync(lock, '')
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['performance'] })
  // In each millisecond the holder renews its lock, and a second passes.
  const passing = setInterval(() => {
    utimesSync(lock, new Date(), new Date())
    vi.advanceTimersByTime(1000)
  }, 1)
  onTestFinished(() => clearInterval(passing))
  const workspace = await openWorkspace({ root, hidden: [] })
  const write = workspace.write('a.md', Buffer.from('two\n'), hashBytes('one\n'))
  await expect(write).rejects.toMatchObject({
    code: 'io',
    message: '"a.md" has been in use by another process for a minute. Try again later.',
  })
  expect(readFileSync(path.join(root, 'a.md'), 'utf8')).toBe('one\n')
  expect(readdirSync(root).toSorted()).toEqual([lockOf('a.md'), 'a.md'])
}, 120_000)

// Rules: security.md 10
test.each(['write', 'removal', 'move'] as const)(
  'a %s of a process that stood still until its lock was taken for abandoned changes nothing, and leaves the lock of its successor',
  async (change) => {
    const root = newFolder('lost-lock-')
    const [file, lock] = [path.join(root, 'a.md'), path.join(root, lockOf('a.md'))]
    writeFileSync(file, 'one\n')
    await using directory = await openDirectory(plainWalk(root), [], false)
    const place = (name: string) => ({ directory, name, at: name })
    const base = hashBytes('one\n')
    // What the next process does ten seconds after the last renewal.
    const standStill = async (): Promise<void> => {
      rmSync(lock)
      writeFileSync(lock, '')
    }
    const changing = {
      write: () => replaceFile(place('a.md'), Buffer.from('two\n'), base, standStill),
      removal: () => removeFile(place('a.md'), base, standStill),
      move: () => moveFile(place('a.md'), place('b.md'), { from: base, to: 'absent' }, standStill),
    }
    await expect(changing[change]()).rejects.toMatchObject({ code: 'stale' })
    expect(readFileSync(file, 'utf8')).toBe('one\n')
    expect(readdirSync(root).toSorted()).toEqual([lockOf('a.md'), 'a.md'])
  },
)
