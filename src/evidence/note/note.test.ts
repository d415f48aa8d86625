import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { emptyTreeHash } from '../merkle/tree-hash.ts'
import { formatCheckpoint, openCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { formatVerifierKey, noteKey, parseVerifierKey } from './note-key.ts'
import { formatNote, isSignedBy, parseNote, signText } from './signed-note.ts'

/** Key, text and signature of the examples of Go's `golang.org/x/mod/sumdb/note`. */
const seed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
const vkey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const text =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const signature =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
  format: 'der',
  type: 'pkcs8',
})
const key = parseVerifierKey(vkey)

describe('a signed note', () => {
  it('is the published one, byte for byte, and verifies', () => {
    expect(formatVerifierKey(noteKey('PeterNeumann', createPublicKey(privateKey)))).toBe(vkey)
    const note = formatNote({ text, signatures: [signText(text, { key, privateKey })] })
    expect(note).toBe(`${text}\n${signature}`)
    expect(parseNote(note).text).toBe(text)
    expect(isSignedBy(parseNote(note), key)).toBe(true)
  })

  it('does not verify with another text, or under a key that did not sign it', () => {
    const other = parseNote(`${text.replace('answer', 'problem')}\n${signature}`)
    expect(() => isSignedBy(other, key)).toThrow('The signature of PeterNeumann does not hold')
    const stranger = noteKey('PeterNeumann', generateKeyPairSync('ed25519').publicKey)
    expect(isSignedBy(parseNote(`${text}\n${signature}`), stranger)).toBe(false)
  })

  it.each([
    ['no signature', text],
    ['no text', `\n${signature}`],
    ['no empty line', `${text}${signature}`],
    ['no line end', `${text}\n${signature.trimEnd()}`],
    ['a control character', `a\tb\n\n${signature}`],
    ['a return', `a\r\n\n${signature}`],
    ['a hyphen for the dash', `${text}\n${signature.replace('—', '-')}`],
    ['a word too many', `${text}\n${signature.replace(' x', ' y x')}`],
    ['a signature that is no base64', `${text}\n— PeterNeumann x08go!\n`],
    ['a name with a plus', `${text}\n${signature.replace('r', '+')}`],
    ['over 100 signatures', `${text}\n${signature.repeat(101)}`],
  ])('is refused with %s', (_, note) => {
    expect(() => parseNote(note)).toThrow(MalformedEvidence)
  })

  it.each([
    ['another hash', vkey.replace('c74f20a3', 'c74f20a4')],
    ['another name', vkey.replace('Peter', 'Paul')],
    ['another algorithm', vkey.replace('ARpc', 'BRpc')],
    ['a shorter key', vkey.slice(0, -4)],
    ['no hash', 'PeterNeumann'],
  ])('has no verifier key with %s', (_, line) => {
    expect(() => parseVerifierKey(line)).toThrow(MalformedEvidence)
  })
})

describe('a checkpoint', () => {
  const root = emptyTreeHash()
  const checkpoint = { origin: 'PeterNeumann', size: 0, root, extensions: ['a line'] }
  const written = `PeterNeumann\n0\n${root.toString('base64')}\na line\n`
  const signed = (body: string) =>
    formatNote({ text: body, signatures: [signText(body, { key, privateKey })] })

  it('has its origin, size and root, and more lines', () => {
    expect(formatCheckpoint(checkpoint)).toBe(written)
    expect(parseCheckpoint(written)).toEqual(checkpoint)
    expect(openCheckpoint(signed(written), key)).toEqual(checkpoint)
  })

  it('is refused when the key did not sign it, or when it names another log', () => {
    const stranger = noteKey('PeterNeumann', generateKeyPairSync('ed25519').publicKey)
    expect(() => openCheckpoint(signed(written), stranger)).toThrow('is not signed by PeterNeumann')
    const other = signed(written.replace('PeterNeumann', 'elsewhere'))
    expect(() => openCheckpoint(other, key)).toThrow('of elsewhere, not of PeterNeumann')
  })

  it.each([
    ['no root', 'a\n0\n'],
    ['a size with a zero in front', written.replace('\n0\n', '\n00\n')],
    ['a size that is no number', written.replace('\n0\n', '\n-1\n')],
    ['a size too large to count', written.replace('\n0\n', '\n9007199254740993\n')],
    ['a short root', 'a\n0\nAAAA\n'],
    ['an empty line', `${written}\n`],
    ['no line end', written.trimEnd()],
    ['no origin', written.slice('PeterNeumann'.length)],
  ])('is refused with %s', (_, body) => {
    expect(() => parseCheckpoint(body)).toThrow(MalformedEvidence)
  })

  it('is not written with a line that would be read as two', () => {
    expect(() => formatCheckpoint({ ...checkpoint, origin: 'a\nb' })).toThrow(MalformedEvidence)
  })
})
