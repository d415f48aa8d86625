import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
import { rotateSigningKey } from '../keys/rotate-signing-key.ts'
import { loadSigner } from '../keys/signing-key.ts'
import { isKeyPath, readKeyFiles, restoreKeys } from './key-files.ts'

let from: string
let to: string

beforeEach(async () => {
  from = newFolder('countersign keys ')
  to = newFolder('countersign keys ')
  await mkdir(join(from, 'keys', 'public'), { recursive: true })
  await writeFile(join(from, 'keys', 'signing.pem'), 'signs')
  await writeFile(join(from, 'keys', 'log.pem'), 'signs the log')
  await writeFile(join(from, 'keys', 'public', '1.pem'), 'verifies')
})

const pathsOf = (files: readonly { path: string }[]) => files.map(({ path }) => path)

test('private keys are read only when they are asked for', async () => {
  expect(pathsOf(await readKeyFiles(from, { privateToo: false }))).toEqual(['keys/public/1.pem'])
  expect(pathsOf(await readKeyFiles(from, { privateToo: true }))).toEqual([
    'keys/log.pem',
    'keys/public/1.pem',
    'keys/signing.pem',
  ])
  expect(await readKeyFiles(to, { privateToo: true })).toEqual([])
})

test('files that are no keys are left where they are', async () => {
  const keys = await readKeyFiles(from, { privateToo: true })
  await writeFile(join(from, 'keys', '.DS_Store'), '')
  await writeFile(join(from, 'keys', 'copy of signing.pem'), '')
  await writeFile(join(from, 'keys', 'signing.pem.17.new'), '')
  expect(await readKeyFiles(from, { privateToo: true })).toEqual(keys)
})

test('keys that are rotated while they are read are read again', async () => {
  await rm(join(from, 'keys', 'signing.pem'))
  const signer = await loadSigner(from, {})
  const rotating = (async () => {
    for (let count = 0; count < 60; count += 1) await rotateSigningKey(from, { compromised: false })
    return 'over'
  })()
  for (;;) {
    const keys = await readKeyFiles(from, { privateToo: true })
    expect(pathsOf(keys)).toContain('keys/signing.pem')
    if ((await Promise.race([rotating, setImmediate()])) === 'over') break
  }
  expect(pathsOf(await readKeyFiles(from, { privateToo: true }))).toContain(
    `keys/public/${signer.keyId}.pem`,
  )
})

test('keys are written only to free places, private ones readable by their owner only', async () => {
  const keys = await readKeyFiles(from, { privateToo: true })
  expect(await restoreKeys(to, keys)).toEqual(pathsOf(keys).map((path) => join(to, path)))
  expect(await readKeyFiles(to, { privateToo: true })).toEqual(keys)
  expect((await stat(join(to, 'keys', 'signing.pem'))).mode & 0o777).toBe(0o600)
  expect(await restoreKeys(to, keys)).toEqual([])
})

test('an existing key is never overwritten', async () => {
  const keys = await readKeyFiles(from, { privateToo: true })
  await mkdir(join(to, 'keys'))
  await writeFile(join(to, 'keys', 'signing.pem'), 'another')
  await expect(restoreKeys(to, keys)).rejects.toThrow('is another key than the backup')
  expect(await readFile(join(to, 'keys', 'signing.pem'), 'utf8')).toBe('another')
  expect(pathsOf(await readKeyFiles(to, { privateToo: true }))).toEqual(['keys/signing.pem'])
})

test('of two restores at the same time, one writes all of its keys and the other none', async () => {
  const keys = await readKeyFiles(from, { privateToo: true })
  const others = [
    { path: 'keys/public/2.pem', bytes: Buffer.from('verifies something else') },
    { path: 'keys/signing.pem', bytes: Buffer.from('signs something else') },
  ]
  const [first, second] = await Promise.allSettled([restoreKeys(to, keys), restoreKeys(to, others)])
  expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await readKeyFiles(to, { privateToo: true })).toEqual(
    first.status === 'fulfilled' ? keys : others,
  )
})

test('a key that was made after the comparison, by a start of the service, is not taken for that of the backup', async () => {
  const path = 'keys/signing.pem'
  // When the second is written, the first is there, and was not when both were compared.
  const keys = ['signs something else', 'signs'].map((text) => ({ path, bytes: Buffer.from(text) }))
  await expect(restoreKeys(to, keys)).rejects.toThrow('was made meanwhile')
  expect(await readFile(join(to, path), 'utf8')).toBe('signs something else')
})

test('a full disk leaves no part of a key, so that the next try finds the same keys', async ({
  skip,
}) => {
  await using disk = await SmallDisk.at(to)
  if (disk === null) return skip('this machine permits no mount')
  await writeFile(join(to, 'other'), 'full')
  const keys = await readKeyFiles(from, { privateToo: true })
  await expect(disk.whileFull(() => restoreKeys(to, keys))).rejects.toThrow('ENOSPC')
  expect((await readdir(to, { recursive: true })).toSorted()).toEqual(['keys', 'other', 'run'])
  await restoreKeys(to, keys)
  expect(await readKeyFiles(to, { privateToo: true })).toEqual(keys)
})

test('nothing in a backup leads out of the folder of keys', () => {
  for (const path of ['keys/log.pem', 'keys/public/4f1d2a90.pem', 'keys/old/a-b_c.key'])
    expect(isKeyPath(path)).toBe(true)
  for (const path of ['keys/../x', 'keys//x', '/keys/x', 'keys/.x', 'keys', 'run/dev-token'])
    expect(isKeyPath(path)).toBe(false)
})
