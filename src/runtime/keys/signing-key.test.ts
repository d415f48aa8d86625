import { generateKeyPairSync } from 'node:crypto'
import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { signStatement, verifyStatement } from '#domain/statements/statement-bytes.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { loadSigner, publicKeyLine } from './signing-key.ts'
import { loadVerifier } from './public-keys.ts'

let dataDir: string
beforeEach(() => {
  dataDir = newFolder('countersign keys ')
})

test('the key is made on first start, owner-only, and found again afterwards', async () => {
  const first = await loadSigner(dataDir, {})
  const second = await loadSigner(dataDir, {})
  expect(second.keyId).toBe(first.keyId)
  expect((await stat(join(dataDir, 'keys', 'signing.pem'))).mode & 0o777).toBe(0o600)
})

test('of several processes that make a key at once, all end up with the same one', async () => {
  const signers = await Promise.all(Array.from({ length: 8 }, () => loadSigner(dataDir, {})))
  expect(new Set(signers.map((signer) => signer.keyId)).size).toBe(1)
  expect(await readdir(join(dataDir, 'keys'))).toEqual(['public', 'signing.pem'])
})

test('a private key that others can read is refused', async () => {
  await loadSigner(dataDir, {})
  await chmod(join(dataDir, 'keys', 'signing.pem'), 0o644)
  await expect(loadSigner(dataDir, {})).rejects.toThrow('can be read by others')
})

test('what the signer signs, the verifier of the same folder verifies, and no other', async () => {
  const signer = await loadSigner(dataDir, {})
  const signed = signStatement(signer, 'run', { version: 1, runId: 'r' })
  expect(verifyStatement(await loadVerifier(dataDir, {}), 'run', signed)).toEqual({
    version: 1,
    runId: 'r',
  })
  const other = newFolder('countersign-keys-')
  await loadSigner(other, {})
  expect(verifyStatement(await loadVerifier(other, {}), 'run', signed)).toBeNull()
})

test('a Temporal worker elsewhere verifies with the line that the API prints, or with PEM', async () => {
  const signer = await loadSigner(dataDir, {})
  const signed = signStatement(signer, 'permit', { permitId: 'p' })
  const pem = generateKeyPairSync('ed25519')
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()
  const lines = await loadVerifier('/nowhere', { COUNTERSIGN_PUBLIC_KEYS: publicKeyLine(signer) })
  expect(verifyStatement(lines, 'permit', signed)).toEqual({ permitId: 'p' })
  const others = await loadVerifier('/nowhere', { COUNTERSIGN_PUBLIC_KEYS: pem })
  expect(verifyStatement(others, 'permit', signed)).toBeNull()
})

test('without any public key there is a sentence that says what to do', async () => {
  await expect(loadVerifier(dataDir, {})).rejects.toThrow(
    'start the API once with this data folder',
  )
  await expect(loadVerifier(dataDir, { COUNTERSIGN_PUBLIC_KEYS: 'nonsense' })).rejects.toThrow(
    'neither PEM nor',
  )
})

test('keys of another kind are refused, from the environment and from the file', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await expect(loadSigner(dataDir, { COUNTERSIGN_SIGNING_KEY: pem })).rejects.toThrow(
    'not an Ed25519 key',
  )
  await expect(loadSigner(dataDir, { COUNTERSIGN_SIGNING_KEY: 'x' })).rejects.toThrow(
    'not a private key',
  )
  await loadSigner(dataDir, {})
  await writeFile(join(dataDir, 'keys', 'signing.pem'), pem)
  await expect(loadSigner(dataDir, {})).rejects.toThrow('not an Ed25519 key')
})
