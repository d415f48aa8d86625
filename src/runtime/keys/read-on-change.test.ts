import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { readOnChange } from './read-on-change.ts'

let file: string
beforeEach(() => {
  file = join(newFolder('countersign read on change '), 'key')
})

/** Long enough that a file's times are settled. */
const settle = () => {
  const atMs = performance.now() + 150
  return waitUntil(() => performance.now() > atMs)
}

// Rules: security.md 13
test('all calls of a turn of the event loop get one value, and the next turn gets the changed one', async () => {
  writeFileSync(file, 'first')
  await settle()
  const look = readOnChange(file, () => readFileSync(file, 'utf8'))
  expect(look()).toBe('first')
  writeFileSync(file, 'second')
  expect(look()).toBe('first')
  await Promise.resolve()
  expect(look()).toBe('first')
  await setImmediate()
  expect(look()).toBe('second')
})

test('a file that changed just now is read at each call, until its time is settled', () => {
  writeFileSync(file, 'first')
  const look = readOnChange(file, () => readFileSync(file, 'utf8'))
  expect(look()).toBe('first')
  writeFileSync(file, 'other')
  expect(look()).toBe('other')
})

// Rules: security.md 13
test('a file that changes while its first contents are read is read again, however long that took', () => {
  writeFileSync(file, 'first')
  const look = readOnChange(file, () => {
    const text = readFileSync(file, 'utf8')
    const untilMs = performance.now() + 150
    while (performance.now() < untilMs);
    return text
  })
  expect(look()).toBe('first')
  writeFileSync(file, 'other')
  expect(look()).toBe('other')
})

// Rules: security.md 13
test('a file whose time of modification was set back is read at each call, until its other time is settled', () => {
  writeFileSync(file, 'first')
  utimesSync(file, 1_000, 1_000)
  const look = readOnChange(file, () => readFileSync(file, 'utf8'))
  expect(look()).toBe('first')
  writeFileSync(file, 'other')
  utimesSync(file, 1_000, 1_000)
  expect(look()).toBe('other')
})

// Rules: security.md 13
test('after a change that may not be read, each call fails, and none gets the value before', async () => {
  writeFileSync(file, 'secret')
  chmodSync(file, 0o600)
  await settle()
  const look = readOnChange(file, () => {
    if ((statSync(file).mode & 0o077) !== 0) throw new Error('others can read it')
    return readFileSync(file, 'utf8')
  })
  expect(look()).toBe('secret')
  chmodSync(file, 0o644)
  await setImmediate()
  expect(look).toThrow('others can read it')
  expect(look).toThrow('others can read it')
})
