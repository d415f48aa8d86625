import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
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

test('what one process revokes is revoked in another, and a half-written line damages no other', async () => {
  const [writer, reader] = [openRevocations(dataDir), openRevocations(dataDir)]
  const grant = { what: 'grant', id: '1' } as Parameters<typeof reader.has>[0]
  expect(reader.has(grant)).toBe(false)
  await mkdir(join(dataDir, 'ledger'), { recursive: true })
  await writeFile(join(dataDir, 'ledger', 'revoked.log'), '\ngrant 9')
  await writer.add([grant])
  expect(reader.has(grant)).toBe(true)
  expect(reader.has({ ...grant, id: '2' })).toBe(false)
})

test('a key that ends later is revoked from that time on, or at once when somebody revokes it earlier', async () => {
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

test('a key that ends later does not end earlier because a full disk cut its line, wherever it did', async () => {
  const secret = { what: 'key_secret', id: 'a' } as const
  const from = new Date(Date.now() + 3_600_000)
  const writer = openRevocations(dataDir)
  await writer.add([{ ...secret, from }])
  const path = join(dataDir, 'ledger', 'revoked.log')
  const whole = (await readFile(path, 'utf8')).trim()
  const earlier = `key_secret a ${from.getTime()}`
  const cutLinesOf = (line: string) => [...line].map((_, length) => line.slice(0, length))
  // Without its time, the line of an earlier version is that of a key that has ended.
  const cutEarlier = cutLinesOf(earlier).filter((line) => line !== 'key_secret a')
  await writeFile(path, [...cutLinesOf(whole), ...cutEarlier, whole, ''].join('\n'))
  const areEnded = () => [writer.has(secret), openRevocations(dataDir).has(secret)]
  expect(areEnded()).toEqual([false, false])
  vi.useFakeTimers({ toFake: ['Date'], now: from })
  try {
    expect(areEnded()).toEqual([true, true])
  } finally {
    vi.useRealTimers()
  }
})

test('a line that an earlier version wrote counts: at once without a time, or from its time on', async () => {
  const until = Date.now() + 3_600_000
  await mkdir(join(dataDir, 'ledger'))
  const lines = ['key_secret a', `key_secret b ${until}`, `key_secret c ${until - 7_200_000}`]
  await writeFile(join(dataDir, 'ledger', 'revoked.log'), `\n${lines.join('\n')}\n`)
  const reader = openRevocations(dataDir)
  const areEnded = ['a', 'b', 'c'].map((id) => reader.has({ what: 'key_secret', id }))
  expect(areEnded).toEqual([true, false, true])
})

// Rules: security.md 29
test('a revocation that could not be written, as on a full disk, counts in this process, and is written with the next one', async () => {
  const [writer, reader] = [openRevocations(dataDir), openRevocations(dataDir)]
  const [first, next] = [
    { what: 'session', id: 'a' } as const,
    { what: 'session', id: 'b' } as const,
  ]
  await writeFile(join(dataDir, 'ledger'), 'no folder')
  await expect(writer.add([first])).rejects.toThrow('EEXIST')
  expect([writer.has(first), writer.has(next), reader.has(first)]).toEqual([true, false, false])
  await rm(join(dataDir, 'ledger'))
  await writer.add([next])
  expect([reader.has(first), reader.has(next)]).toEqual([true, true])
  await writer.add([next])
  const text = await readFile(join(dataDir, 'ledger', 'revoked.log'), 'utf8')
  expect(text.split('\n').filter((line) => line === 'session a')).toHaveLength(1)
})

// Rules: security.md 42
test('a revocation that could not be written is written once the disk takes it, without another one, and the log says each minute that it waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const error = vi.fn<() => void>()
    const [writer, reader] = [openRevocations(dataDir, { error }), openRevocations(dataDir)]
    const ended = { what: 'session', id: 'a' } as const
    await writeFile(join(dataDir, 'ledger'), 'no folder')
    await expect(writer.add([ended])).rejects.toThrow('EEXIST')
    for (let retry = 1; retry <= 24; retry += 1) {
      vi.advanceTimersByTime(5000)
      await waitUntil(() => vi.getTimerCount() === 1)
    }
    // Once a minute, and not for each attempt.
    expect(error).toHaveBeenCalledTimes(2)
    await rm(join(dataDir, 'ledger'))
    vi.advanceTimersByTime(60_000)
    await waitUntil(() => reader.has(ended))
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('two times in which revocations could not be written, each shorter than a minute, are not logged as a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const error = vi.fn<() => void>()
    const writer = openRevocations(dataDir, { error })
    const ledger = join(dataDir, 'ledger')
    for (const id of ['a', 'b']) {
      const ended = { what: 'session', id } as const
      await rm(ledger, { recursive: true, force: true })
      await writeFile(ledger, 'no folder')
      await expect(writer.add([ended])).rejects.toThrow('EEXIST')
      for (let retry = 1; retry <= 11; retry += 1) {
        vi.advanceTimersByTime(5000)
        await waitUntil(() => vi.getTimerCount() === 1)
      }
      await rm(ledger)
      // It is written by the next one, not by a retry.
      await writer.add([{ what: 'session', id: `${id}-next` }])
      expect(openRevocations(dataDir).has(ended)).toBe(true)
      vi.advanceTimersByTime(5000)
      expect(vi.getTimerCount()).toBe(0)
    }
    expect(error).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})

test('an id that somebody wrote into a row ends no person', async () => {
  const writer = openRevocations(dataDir)
  const person = { what: 'person', id: '1' } as const
  await writer.add([
    { what: 'key_secret', id: 'x\nperson 1' },
    { what: 'key_secret', id: 'y' },
  ])
  expect([writer.has(person), openRevocations(dataDir).has(person)]).toEqual([false, false])
  expect(openRevocations(dataDir).has({ what: 'key_secret', id: 'y' })).toBe(true)
})
