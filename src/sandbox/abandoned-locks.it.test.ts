import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { newFolder } from '#test/harness/new-folder.ts'
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
