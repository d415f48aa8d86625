import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { signStatement, verifyStatement } from '#domain/statements/statement-bytes.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { loadSigner, publishKey } from './signing-key.ts'
import { createKeyOnce, signerOf } from './key-files.ts'
import { loadVerifier } from './public-keys.ts'
import {
  findRetiring,
  finishRetiring,
  markOlderCompromised,
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

test('a rotation that was killed before its key was in place has lost nothing, and the next one succeeds', async () => {
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  const old = signer.keyId
  const half = join(dataDir, 'keys', 'signing.pem.killed.new')
  await createKeyOnce(half)
  await publishKey(dataDir, signerOf(await readFile(half, 'utf8'), half))
  expect(signer.keyId).toBe(old)
  expect(verifyStatement(verifier, 'run', signStatement(signer, 'run', statement))).not.toBeNull()
  const { keyId } = await rotateSigningKey(dataDir, { compromised: false })
  expect(signer.keyId).toBe(keyId)
  expect(keyId).not.toBe(old)
  expect(verifyStatement(verifier, 'run', signStatement(signer, 'run', statement))).not.toBeNull()
})

test('a rotation removes the next key that an earlier version left', async () => {
  await loadSigner(dataDir, {})
  await createKeyOnce(join(dataDir, 'keys', 'signing.next.pem'))
  await rotateSigningKey(dataDir, { compromised: false })
  expect((await readdir(join(dataDir, 'keys'))).toSorted()).toEqual(['public', 'signing.pem'])
})

test('a rotation that cannot remove the next key of an earlier version names it, and changes no key', async () => {
  const { keyId } = await loadSigner(dataDir, {})
  const next = join(dataDir, 'keys', 'signing.next.pem')
  await mkdir(next)
  const before = await readdir(join(dataDir, 'keys'), { recursive: true })
  await expect(rotateSigningKey(dataDir, { compromised: true })).rejects.toThrow(next)
  expect(await readdir(join(dataDir, 'keys'), { recursive: true })).toEqual(before)
  expect((await loadSigner(dataDir, {})).keyId).toBe(keyId)
})

test('while hosts that share the keys rotate them at the same time, the key in place is published at every moment', async () => {
  const hosts = ['one', 'another', 'third'].map((name) => join(dataDir, name))
  await mkdir(join(dataDir, 'keys'))
  for (const host of hosts) {
    await mkdir(host)
    await symlink(join(dataDir, 'keys'), join(host, 'keys'))
  }
  const signer = await loadSigner(dataDir, {})
  const verifier = await loadVerifier(dataDir, {})
  const keyIds: string[] = []
  const rotating = Promise.all(
    hosts.map(async (host) => {
      for (let round = 0; round < 8; round += 1) {
        keyIds.push((await rotateSigningKey(host, { compromised: false })).keyId)
      }
    }),
  )
  const unpublished = new Set<string>()
  do {
    const { keyId } = signer
    if (!verifier.publicKeys.has(keyId)) unpublished.add(keyId)
  } while ((await Promise.race([rotating, setImmediate('on')])) === 'on')
  expect([...unpublished]).toEqual([])
  expect(keyIds).toContain(signer.keyId)
  expect(new Set(keyIds).size).toBe(24)
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
  await markOlderCompromised(dataDir, previous)
  expect(await findRetiring(dataDir)).toEqual([previous])
  await expect(markOlderCompromised(dataDir, '0'.repeat(16))).rejects.toThrow('there is no key')
  await expect(markOlderCompromised(dataDir, '../signing')).rejects.toThrow('there is no key')
})

test('the key that signs is not marked without being replaced: it would count for ever', async () => {
  const { keyId } = await loadSigner(dataDir, {})
  await expect(markOlderCompromised(dataDir, keyId)).rejects.toThrow('without --id')
  expect(await findRetiring(dataDir)).toEqual([])
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
