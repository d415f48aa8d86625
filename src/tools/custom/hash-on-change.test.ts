import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { hashOnChange } from './hash-on-change.ts'

let file: string
beforeEach(() => {
  file = join(newFolder('hash on change '), 'tool.ts')
})

/** Long enough that a file's times are settled. */
const settle = () => {
  const atMs = performance.now() + 150
  return waitUntil(() => performance.now() > atMs)
}

// Rules: security.md 36
test.each([
  ['written over', () => writeFileSync(file, 'other')],
  [
    'written over with the old modification time',
    () => {
      writeFileSync(file, 'other')
      utimesSync(file, 1_000, 1_000)
    },
  ],
  [
    'replaced by another file of the same time',
    () => {
      writeFileSync(`${file}.new`, 'other')
      utimesSync(`${file}.new`, 1_000, 1_000)
      renameSync(`${file}.new`, file)
    },
  ],
])('a file that was %s has its new hash at the next call', async (_, change) => {
  writeFileSync(file, 'first')
  utimesSync(file, 1_000, 1_000)
  await settle()
  const hashOf = hashOnChange(file)
  expect(await hashOf()).toBe(hashBytes('first'))
  expect(await hashOf()).toBe(hashBytes('first'))
  change()
  expect(await hashOf()).toBe(hashBytes('other'))
})

test('a file that cannot be read, because too many files are open, does not count as another file', () => {
  writeFileSync(file, 'first')
  const imports = `import { hashOnChange } from '#tools/custom/hash-on-change.ts'`
  expect(withoutDescriptors(imports, `await hashOnChange(${JSON.stringify(file)})()`)).toBe(
    "QueryNotAccepted: The tool's files could not be read: too many files are open.",
  )
})

test('of changes within a moment each is seen, also where the times of the file stay the same', async () => {
  const hashOf = hashOnChange(file)
  for (let count = 0; count < 200; count += 1) {
    const text = `tool ${100 + count}`
    writeFileSync(file, text)
    utimesSync(file, 1_000, 1_000)
    expect(await hashOf()).toBe(hashBytes(text))
  }
})

// Rules: security.md 36
test('of changes within a moment each is seen by a process that is busy for long while it reads', async () => {
  const now = Date.now.bind(Date)
  let busyMs = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + busyMs)
  onTestFinished(() => clock.mockRestore())
  const hashOf = hashOnChange(file)
  for (let count = 0; count < 200; count += 1) {
    const text = `tool ${100 + count}`
    writeFileSync(file, text)
    utimesSync(file, 1_000, 1_000)
    busyMs = 0
    const hash = hashOf()
    busyMs = 150
    expect(await hash).toBe(hashBytes(text))
  }
})

test('a file that is missing, or a pipe, has no hash and is not waited for', async () => {
  const hashOf = hashOnChange(file)
  expect(await hashOf()).toBeNull()
  execFileSync('mkfifo', [file])
  expect(await hashOf()).toBeNull()
  rmSync(file)
  writeFileSync(file, 'first')
  expect(await hashOf()).toBe(hashBytes('first'))
})
