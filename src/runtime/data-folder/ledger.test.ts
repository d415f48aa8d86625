import { execFile } from 'node:child_process'
import { appendFile, open, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newId } from '#domain/new-id.ts'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { OnceKey } from '#services/core/ledger.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { openLedger } from './ledger.ts'

let dataDir: string

beforeEach(() => {
  dataDir = newFolder('countersign-ledger-')
})

const [a, b, c] = [newId(), newId(), newId()] as const
const call = (part = '1', id: string = newId()): OnceKey => ({ kind: 'call', id, part })

async function onlyFile(): Promise<string> {
  const [name = ''] = await readdir(join(dataDir, 'ledger'))
  return join(dataDir, 'ledger', name)
}

// Rules: security.md 29
test('the first entry for a name stays, for this process and for later ones', async () => {
  const key = call()
  const ledger = openLedger(dataDir)
  expect(await ledger.first(key, a)).toBe(a)
  expect(await ledger.first(key, b)).toBe(a)
  expect(await openLedger(dataDir).first(key, c)).toBe(a)
  expect(await ledger.first({ ...key, part: '2' }, b)).toBe(b)
  expect(await ledger.first({ ...key, kind: 'grant' }, b)).toBe(b)
})

test('of many concurrent entries for one name in several processes, all get the same first one', async () => {
  const key = call()
  const script = `
    import { openLedger } from ${JSON.stringify(new URL('./ledger.ts', import.meta.url).href)}
    const ledger = openLedger(${JSON.stringify(dataDir)})
    const mine = Array.from({ length: 20 }, () => ledger.first(${JSON.stringify(key)}, crypto.randomUUID()))
    process.stdout.write((await Promise.all(mine)).join(' '))`
  const others = [1, 2, 3].map(() =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]),
  )
  const answers = (await Promise.all(others)).flatMap(({ stdout }) => stdout.split(' '))
  expect(answers).toHaveLength(60)
  expect(new Set(answers).size).toBe(1)
})

test('a line that a crash left half written damages no other one', async () => {
  const first = call()
  const second = call()
  await openLedger(dataDir).first(first, a)
  await appendFile(await onlyFile(), `call ${second.id} 1`)
  const ledger = openLedger(dataDir)
  expect(await ledger.first(second, b)).toBe(b)
  expect(await openLedger(dataDir).first(second, c)).toBe(b)
  expect(await openLedger(dataDir).first(first, c)).toBe(a)
})

// Rules: security.md 42
test('an entry of which a full disk took only a part is none: the same act is first when it is tried again', async () => {
  const [key, later] = [call(), call()]
  const ledger = openLedger(dataDir)
  await ledger.first(call('1', key.id.slice(0, 13) + newId().slice(13)), c)
  await appendFile(await onlyFile(), `\ncall ${key.id} 1 ${a.slice(0, 20)}`)
  expect(await ledger.first(later, b)).toBe(b)
  expect(await ledger.first(key, a)).toBe(a)
  expect(await openLedger(dataDir).first(key, b)).toBe(a)
})

test('an entry whose flush to the disk failed is written and flushed again before it counts', async () => {
  const [key, ledger] = [call(), openLedger(dataDir)]
  await ledger.first(call('2', key.id), b)
  await using file = await open(await onlyFile())
  const handles = Object.getPrototypeOf(file) as typeof file
  const datasync = vi.spyOn(handles, 'datasync').mockRejectedValueOnce(new Error('EIO'))
  onTestFinished(() => datasync.mockRestore())
  await expect(ledger.first(key, a)).rejects.toThrow('EIO')
  expect(await ledger.first(key, a)).toBe(a)
  expect(datasync).toHaveBeenCalledTimes(2)
  const lines = (await readFile(await onlyFile(), 'utf8')).split('\n')
  expect(lines.filter((line) => line === `call ${key.id} 1 ${a}`)).toHaveLength(2)
  expect(await openLedger(dataDir).first(key, c)).toBe(a)
})

test('a ledger that is cut off under a running process is an error, and nothing is spent', async () => {
  const key = call()
  const ledger = openLedger(dataDir)
  await ledger.first(key, a)
  await truncate(await onlyFile(), 5)
  await expect(ledger.first(key, b)).rejects.toThrow('was cut off')
})

test('a key that is no id of the service is refused, however it is written', async () => {
  const ledger = openLedger(dataDir)
  for (const id of ['', 'a b', 'a\nb', 'é', 'x'.repeat(500)]) {
    await expect(ledger.first({ kind: 'call', id }, a)).rejects.toThrow('may contain only ids')
  }
  await expect(ledger.first(call(), 'x')).rejects.toThrow('may contain only ids')
  expect(await ledger.first({ kind: 'call', id: '../../outside' }, a)).toBe(a)
  expect(await readdir(join(dataDir, 'ledger'))).toEqual(['undated.log'])
})
