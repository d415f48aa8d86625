import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { isVerified, rememberVerified } from './verified-signatures.ts'

const bytes = Buffer.from('what is signed')
const newKey = () => generateKeyPairSync('ed25519').publicKey

// Rules: security.md 13
test('a signature counts as verified for the same bytes and under the same key alone', () => {
  const [key, another] = [newKey(), newKey()]
  rememberVerified(key, 'signature', bytes)
  expect(isVerified(key, 'signature', Buffer.from(bytes))).toBe(true)
  expect(isVerified(key, 'signature', Buffer.from('what is signeD'))).toBe(false)
  expect(isVerified(key, 'signature', Buffer.alloc(0))).toBe(false)
  expect(isVerified(key, 'another', bytes)).toBe(false)
  expect(isVerified(another, 'signature', bytes)).toBe(false)
})

test('of many signatures the newest 4,000 stay, those in use stay, and old ones are forgotten', () => {
  const key = newKey()
  const names = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `signature ${from + index}`)
  for (const name of names(0, 10_000)) {
    rememberVerified(key, name, bytes)
    expect(isVerified(key, 'signature 0', bytes)).toBe(true)
  }
  expect(names(6000, 10_000).every((name) => isVerified(key, name, bytes))).toBe(true)
  expect(names(1, 2000).some((name) => isVerified(key, name, bytes))).toBe(false)
})
