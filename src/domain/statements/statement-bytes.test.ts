import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { isSigned, signStatement, signVerified, verifyStatement } from './statement-bytes.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const verifier = { publicKeys: new Map([['key', publicKey]]) }
const signedStatement = signStatement({ keyId: 'key', privateKey }, 'permit', { one: 1 })

// Rules: security.md 13
test.each([
  [
    'a character that is not of base64url',
    (text: string) => `${text.slice(0, 40)}]${text.slice(40)}`,
  ],
  ['padding', (text: string) => `${text}==`],
  ['the letters of base64', (text: string) => Buffer.from(text, 'base64url').toString('base64')],
])('a signature has one form: with %s it does not hold', (_what, change) => {
  expect(verifyStatement(verifier, 'permit', signedStatement)).toEqual({ one: 1 })
  const signature = change(signedStatement.signature)
  expect(verifyStatement(verifier, 'permit', { ...signedStatement, signature })).toBeNull()
})

// Rules: security.md 13
test('a signature that was valid before holds for no other statement and no other kind', () => {
  const other = signStatement({ keyId: 'key', privateKey }, 'permit', { two: 2 })
  for (const round of [1, 2]) {
    const permit = verifyStatement(verifier, 'permit', signedStatement)
    expect(permit, `round ${round}`).toEqual({ one: 1 })
    const { statement } = other
    expect(verifyStatement(verifier, 'permit', { ...signedStatement, statement })).toBeNull()
    expect(verifyStatement(verifier, 'run', signedStatement)).toBeNull()
    expect(isSigned(verifier, 'permit', signedStatement)).toBe(true)
    expect(isSigned(verifier, 'permit', { ...signedStatement, statement })).toBe(false)
    expect(isSigned(verifier, 'permit', { ...signedStatement, keyId: 'none' })).toBe(false)
  }
})

// Rules: security.md 13
test('a statement that was signed here holds as signed, and under the key of its signer alone', () => {
  const signer = { keyId: 'key', privateKey }
  const own = signVerified(signer, verifier, 'permit', { three: 3 })
  expect(verifyStatement(verifier, 'permit', own)).toEqual({ three: 3 })
  expect(isSigned(verifier, 'run', own)).toBe(false)
  expect(isSigned(verifier, 'permit', { ...own, statement: '{"three":4}' })).toBe(false)
  const another = { publicKeys: new Map([['key', generateKeyPairSync('ed25519').publicKey]]) }
  expect(isSigned(another, 'permit', signVerified(signer, another, 'permit', { four: 4 }))).toBe(
    false,
  )
  const none = { publicKeys: new Map() }
  expect(isSigned(none, 'permit', signVerified(signer, none, 'permit', { five: 5 }))).toBe(false)
})
