import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { acceptDatabase, openMemory } from './memory.ts'
import { openRevocations } from './revocations.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = newFolder('countersign-memory-')
})

test('a repair takes effect in a process that has read the memory before', async () => {
  const memory = openMemory(dataDir)
  expect([memory.policy(), memory.epoch()]).toEqual([null, 0])
  await acceptDatabase(dataDir, 3)
  expect(memory.epoch()).toBe(3)
})

test('a damaged memory is an error and not the same as none', async () => {
  await mkdir(join(dataDir, 'ledger'))
  await writeFile(join(dataDir, 'ledger', 'newest.json'), '{')
  expect(() => openMemory(dataDir).epoch()).toThrow(SyntaxError)
})

test('what one process revokes is revoked in another, and a half-written line spoils no other', async () => {
  const [writer, reader] = [openRevocations(dataDir), openRevocations(dataDir)]
  const grant = { what: 'grant', id: '1' } as Parameters<typeof reader.has>[0]
  expect(reader.has(grant)).toBe(false)
  await mkdir(join(dataDir, 'ledger'), { recursive: true })
  await writeFile(join(dataDir, 'ledger', 'revoked.log'), '\ngrant 9')
  await writer.add([grant])
  expect(reader.has(grant)).toBe(true)
  expect(reader.has({ ...grant, id: '2' })).toBe(false)
})

test('what ends later is revoked from then on, and at once when it is revoked before', async () => {
  const [writer, reader] = [openRevocations(dataDir), openRevocations(dataDir)]
  const secret = { what: 'key_secret', id: 'a' } as const
  const other = { what: 'key_secret', id: 'b' } as const
  await writer.add([
    { ...secret, from: new Date(Date.now() + 200) },
    { ...other, from: new Date(Date.now() + 3_600_000) },
  ])
  expect([reader.has(secret), reader.has(other)]).toEqual([false, false])
  await waitUntil(async () => reader.has(secret), { withinMs: 10_000 })
  expect(reader.has(other)).toBe(false)
  await writer.add([other])
  expect([reader.has(other), openRevocations(dataDir).has(other)]).toEqual([true, true])
})
