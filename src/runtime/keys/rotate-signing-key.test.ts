import { copyFileSync, watch } from 'node:fs'
import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { signStatement, verifyStatement } from '#domain/statements/statement-bytes.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { loadSigner } from './signing-key.ts'
import { createKeyOnce } from './key-files.ts'
import { loadVerifier } from './public-keys.ts'
import {
  findRetiring,
  finishRetiring,
  markCompromised,
  rotateSigningKey,
} from './rotate-signing-key.ts'

let dataDir: string
const statement = { version: 1, runId: 'r' }
beforeEach(() => {
  dataDir = newFolder('countersign rotation ')
})

// Rules: security.md 13
test('a running signer and a running verifier follow a rotation, and what the old key signed still verifies', async () => {
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  const before = signStatement(signer, 'run', statement)
  const { previous, keyId } = await rotateSigningKey(dataDir, { compromised: false })
  expect(previous).toBe(before.keyId)
  const after = signStatement(signer, 'run', statement)
  expect(after.keyId).toBe(keyId)
  expect(verifyStatement(verifier, 'run', after)).toEqual(statement)
  expect(verifyStatement(verifier, 'run', before)).toEqual(statement)
  expect((await stat(join(dataDir, 'keys', 'signing.pem'))).mode & 0o777).toBe(0o600)
  expect((await readdir(join(dataDir, 'keys'))).toSorted()).toEqual(['public', 'signing.pem'])
})

// Rules: security.md 13
test('a compromised key verifies nothing once it is retired, in processes that run too', async () => {
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  const before = signStatement(signer, 'run', statement)
  const { previous } = await rotateSigningKey(dataDir, { compromised: true })
  expect(await findRetiring(dataDir)).toEqual([previous])
  expect(verifyStatement(verifier, 'run', before)).toEqual(statement)
  await finishRetiring(dataDir, previous)
  await finishRetiring(dataDir, previous)
  expect(await findRetiring(dataDir)).toEqual([])
  expect(verifyStatement(verifier, 'run', before)).toBeNull()
  expect(verifier.retired?.get(previous)?.at).toMatch(/^2\d{3}-.*Z$/)
  expect(verifyStatement(verifier, 'run', signStatement(signer, 'run', statement))).toEqual(
    statement,
  )
})

test('a rotation that was killed at any point has lost nothing, and the next one finishes it', async () => {
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  const old = signer.keyId
  const next = join(dataDir, 'keys', 'signing.next.pem')
  await createKeyOnce(next)
  const made = await readFile(next, 'utf8')
  expect(signer.keyId).toBe(old)
  expect(verifyStatement(verifier, 'run', signStatement(signer, 'run', statement))).not.toBeNull()
  await rotateSigningKey(dataDir, { compromised: false })
  expect(await readFile(join(dataDir, 'keys', 'signing.pem'), 'utf8')).toBe(made)
  expect(signer.keyId).not.toBe(old)
})

test('two hosts that share the keys and rotate them at the same time both say which key signs', async () => {
  const hosts = ['one', 'other'].map((name) => join(dataDir, name))
  await mkdir(join(dataDir, 'keys'))
  for (const host of hosts) {
    await mkdir(host)
    await symlink(join(dataDir, 'keys'), join(host, 'keys'))
  }
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  for (let round = 0; round < 20; round += 1) {
    const before = signer.keyId
    const rotations = await Promise.all(
      hosts.map((host) => rotateSigningKey(host, { compromised: false })),
    )
    expect(signer.keyId).not.toBe(before)
    expect(rotations.map(({ keyId }) => keyId)).toContain(signer.keyId)
    expect(verifyStatement(verifier, 'run', signStatement(signer, 'run', statement))).not.toBeNull()
  }
})

test('a rotation that another host finishes meanwhile says which key signs', async () => {
  const signer = await loadSigner(dataDir, {})
  const [keys, old] = [join(dataDir, 'keys'), signer.keyId]
  const [made, file] = [join(dataDir, 'made.pem'), join(keys, 'signing.pem')]
  await createKeyOnce(made)
  // The next key exists when a rotation wants to make it, and not when it is read.
  await symlink('renamed', join(keys, 'signing.next.pem'))
  const unfinished = rotateSigningKey(dataDir, { compromised: false })
  await expect(unfinished).rejects.toThrow('the new key was removed before it replaced')
  const watcher = watch(join(keys, 'public'), () => copyFileSync(made, file))
  const { previous, keyId } = await rotateSigningKey(dataDir, { compromised: true })
  watcher.close()
  expect({ previous, keyId }).toEqual({ previous: old, keyId: signer.keyId })
  expect(keyId).not.toBe(old)
})

test('rotations at the same time follow one another: each replaces the key of the one before it', async () => {
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  const first = signer.keyId
  const rotations = await Promise.all(
    Array.from({ length: 5 }, () => rotateSigningKey(dataDir, { compromised: false })),
  )
  const keyIds = rotations.map(({ keyId }) => keyId)
  expect(new Set(keyIds).size).toBe(5)
  expect(rotations.map(({ previous }) => previous).toSorted()).toEqual(
    [first, ...keyIds].filter((id) => id !== signer.keyId).toSorted(),
  )
  expect(verifyStatement(verifier, 'run', signStatement(signer, 'run', statement))).toEqual(
    statement,
  )
})

test('an older key can be marked later; one that is not there is refused', async () => {
  await loadSigner(dataDir, {})
  const { previous } = await rotateSigningKey(dataDir, { compromised: false })
  await markCompromised(dataDir, previous)
  expect(await findRetiring(dataDir)).toEqual([previous])
  await expect(markCompromised(dataDir, '0'.repeat(16))).rejects.toThrow('there is no key')
  await expect(markCompromised(dataDir, '../signing')).rejects.toThrow('there is no key')
})

test('where the keys come from the environment there is nothing to rotate, and retired ones are named there', async () => {
  await expect(rotateSigningKey(dataDir, { compromised: false })).rejects.toThrow(
    'COUNTERSIGN_SIGNING_KEY',
  )
  const { keyId } = await loadSigner(dataDir, {})
  await rotateSigningKey(dataDir, { compromised: false })
  const verifier = await loadVerifier(dataDir, { COUNTERSIGN_RETIRED_KEYS: keyId })
  expect(verifier.publicKeys.has(keyId)).toBe(false)
  expect(verifier.retired?.has(keyId)).toBe(true)
})

test('a private key that others can read is not rotated silently', async () => {
  await loadSigner(dataDir, {})
  const file = join(dataDir, 'keys', 'signing.pem')
  await writeFile(`${file}.copy`, await readFile(file), { mode: 0o644 })
  await rm(file)
  await writeFile(file, await readFile(`${file}.copy`), { mode: 0o644 })
  await expect(rotateSigningKey(dataDir, { compromised: false })).rejects.toThrow('read by others')
})
