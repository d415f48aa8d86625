import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { readOnChange } from './read-on-change.ts'

let file: string
beforeEach(() => {
  file = join(newFolder('countersign read on change '), 'key')
})

/** Writes the file as if that had been some seconds ago, so that its time is settled. */
function write(text: string, secondsAgo: number): void {
  writeFileSync(file, text)
  const at = Date.now() / 1000 - secondsAgo
  utimesSync(file, at, at)
}

// Rules: security.md 13
test('all calls of a turn of the event loop get one value, and the next turn gets the changed one', async () => {
  write('first', 20)
  const look = readOnChange(file, () => readFileSync(file, 'utf8'))
  expect(look()).toBe('first')
  write('second', 10)
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
test('after a change that may not be read, each call fails, and none gets the value before', async () => {
  write('secret', 20)
  const look = readOnChange(file, () => {
    if ((statSync(file).mode & 0o077) !== 0) throw new Error('others can read it')
    return readFileSync(file, 'utf8')
  })
  chmodSync(file, 0o600)
  expect(look()).toBe('secret')
  chmodSync(file, 0o644)
  await setImmediate()
  expect(look).toThrow('others can read it')
  expect(look).toThrow('others can read it')
})
