import { createECDH } from 'node:crypto'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { loadPushKey } from './push-key.ts'

const dataDir = newFolder('push-key-')

test('the push key is made once, for its owner alone, and is the pair that push services verify', async () => {
  const [key, other] = await Promise.all([loadPushKey(dataDir, {}), loadPushKey(dataDir, {})])
  expect(other).toEqual(key)
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(Buffer.from(key.privateKey, 'base64url'))
  expect(ecdh.getPublicKey().toString('base64url')).toBe(key.publicKey)
  const file = join(dataDir, 'keys', 'push.pem')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const configured = {
    COUNTERSIGN_PUSH_KEY: (await readFile(file, 'utf8')).replaceAll('\n', '\\n'),
  }
  expect(await loadPushKey('/nowhere', configured)).toEqual(key)
  await chmod(file, 0o644)
  await expect(loadPushKey(dataDir, {})).rejects.toThrow('can be read by others')
})

test('a key of another kind is refused, naming where it stands', async () => {
  const of = (text: string) => loadPushKey(dataDir, { COUNTERSIGN_PUSH_KEY: text })
  await expect(of('no key')).rejects.toThrow('COUNTERSIGN_PUSH_KEY is not a private key')
  const ed25519 = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----`
  await expect(of(ed25519)).rejects.toThrow('COUNTERSIGN_PUSH_KEY is not a P-256 key')
})
