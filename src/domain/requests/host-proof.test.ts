import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { hostProof, hostProofId, isHostProof } from './host-proof.ts'

const key = Buffer.from('ab'.repeat(32))
const folder = '/srv/shöp'

// Rules: product.md 46
test('a proof is HMAC-SHA-256 with the bytes of the file over the path, in lower-case hex', () => {
  const proof = hostProof(key, folder)
  expect(proof).toBe(createHmac('sha256', key).update(Buffer.from(folder)).digest('hex'))
  expect(isHostProof(key, folder, proof)).toBe(true)
})

test.each([
  ['of another folder', hostProof(key, '/srv')],
  ['of the same folder with a slash', hostProof(key, `${folder}/`)],
  ['with another key', hostProof(Buffer.from('x'), folder)],
  ['in capitals', hostProof(key, folder).toUpperCase()],
  ['cut short', hostProof(key, folder).slice(0, 32)],
  ['that is empty', ''],
])('a proof %s proves nothing', (_, proof) => {
  expect(isHostProof(key, folder, proof)).toBe(false)
})

test('the id of a key differs for each key, and is not the key', () => {
  expect(hostProofId(key)).toBe(hostProofId(Buffer.from(key)))
  expect(hostProofId(key)).not.toBe(hostProofId(Buffer.from('x')))
  expect(hostProofId(key)).not.toContain(key.toString('hex'))
})
