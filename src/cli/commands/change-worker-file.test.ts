import { linkSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFiles } from '#test/harness/put-file.ts'
import { changeWorkerFile } from './change-worker-file.ts'

const file = 'workers/scribe.md'
const patch = `--- a/${file}\n+++ b/${file}\n@@ -1,2 +1,2 @@\n-write: ask\n+write: preApproved\n read: ask\n`
const before = 'write: ask\nread: ask\n'
const after = 'write: preApproved\nread: ask\n'

function project(): { folder: string; text: (at: string) => string } {
  const folder = newFolder('countersign-apply-')
  putFiles(folder, { [file]: before })
  return { folder, text: (at) => readFileSync(join(folder, at), 'utf8') }
}

test('a proposed change is made in its worker file, once', async () => {
  const { folder, text } = project()
  await changeWorkerFile(folder, { file, patch })
  expect(text(file)).toBe(after)
  await expect(changeWorkerFile(folder, { file, patch })).rejects.toThrow('differs from')
  await expect(changeWorkerFile(folder, { file: 'workers/../a.md', patch })).rejects.toThrow(
    'is no worker file',
  )
})

// Rules: security.md 10
test.each([
  ['a worker file', file],
  ['the folder of worker files', 'workers'],
])('%s that is a link is refused, and the file to which it leads stays', async (_, link) => {
  const { folder, text } = project()
  renameSync(join(folder, link), join(folder, 'other'))
  symlinkSync(join(folder, 'other'), join(folder, link))
  await expect(changeWorkerFile(folder, { file, patch })).rejects.toThrow(`${link} is a link`)
  expect(text(link === file ? 'other' : 'other/scribe.md')).toBe(before)
})

// Rules: security.md 10
test('a folder that is exchanged for a link at any moment changes no other file', async () => {
  for (let moment = 0; moment < 60; moment += 1) {
    const { folder, text } = project()
    putFiles(folder, { 'other/scribe.md': before })
    symlinkSync(join(folder, 'other'), join(folder, 'link'))
    const changing = changeWorkerFile(folder, { file, patch }).catch(() => undefined)
    for (let turn = 0; turn < moment; turn += 1) await setImmediate()
    renameSync(join(folder, 'workers'), join(folder, 'kept'))
    renameSync(join(folder, 'link'), join(folder, 'workers'))
    await changing
    expect(text('other/scribe.md')).toBe(before)
  }
})

test('a name of the same file elsewhere keeps its bytes', async () => {
  const { folder, text } = project()
  linkSync(join(folder, file), join(folder, 'elsewhere.md'))
  await changeWorkerFile(folder, { file, patch })
  expect([text(file), text('elsewhere.md')]).toEqual([after, before])
})
