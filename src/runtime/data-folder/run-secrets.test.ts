import { stat } from 'node:fs/promises'
import { expect, test, beforeEach } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import {
  devTokenFile,
  readDevToken,
  removeDevToken,
  writeDevToken,
  hostProofReader,
  renewHostProof,
} from './run-secrets.ts'
import { hostProofFile } from '../folders.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = newFolder('countersign-secrets-')
})

test('the token is readable by its owner alone and new at every start', async () => {
  const first = await writeDevToken(dataDir)
  const second = await writeDevToken(dataDir)
  expect(second).not.toBe(first)
  expect(await readDevToken(dataDir)).toBe(second)
  expect((await stat(devTokenFile(dataDir))).mode & 0o777).toBe(0o600)
  await removeDevToken(dataDir)
  expect(await readDevToken(dataDir)).toBeNull()
})

// Rules: product.md 46
test('the key is its owner’s alone, and a new one at each start', async () => {
  const read = hostProofReader(dataDir)
  expect(await read()).toBeNull()
  const before = await renewHostProof(dataDir)
  const first = await read()
  expect(first?.length).toBe(64)
  expect((await stat(hostProofFile(dataDir))).mode & 0o777).toBe(0o600)
  const after = await renewHostProof(dataDir)
  const second = await read()
  expect(second).not.toEqual(first)
  expect((await stat(hostProofFile(dataDir))).mode & 0o777).toBe(0o600)
  // It goes with the one that made it, and with no other.
  await before[Symbol.asyncDispose]()
  expect(await read()).toEqual(second)
  await after[Symbol.asyncDispose]()
  expect(await read()).toBeNull()
})
