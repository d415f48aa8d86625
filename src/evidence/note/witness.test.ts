import { describe, expect, it } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { consistencyProof } from '../merkle/consistency-proof.ts'
import { leafHash } from '../merkle/tree-hash.ts'
import { treeOfLeaves, treeRoot } from '../merkle/tree-of-leaves.ts'
import { formatCheckpoint, openCheckpoint } from './checkpoint.ts'
import { cosign, cosignedAt } from './cosignature.ts'
import { formatHandover, parseHandover } from './handover.ts'
import { logKeysOf } from './log-keys.ts'
import { formatVerifierKey, parseVerifierKey } from './note-key.ts'
import { formatNote, parseNote, signText, type NoteSigner } from './signed-note.ts'
import { witnessCheckpoint } from './witness-checkpoint.ts'

const log = noteSigner('log.example')
const signer = noteSigner('witness.example', 'cosignature')

const leaves = Array.from({ length: 20 }, (_, index) => leafHash(String(index)))
const others = leaves.with(3, leafHash('changed'))
const tree = treeOfLeaves(leaves)

function noteOf(size: number, of: readonly Buffer[] = leaves, by: NoteSigner = log): string {
  const root = treeRoot(of.slice(0, size))
  const text = formatCheckpoint({ origin: 'log.example', size, root, extensions: [] })
  return formatNote({ text, signatures: [signText(text, by)] })
}

const last = openCheckpoint(noteOf(7), log.key)
const request = { log: logKeysOf(log.key, []), last, signer, atSeconds: 1_700_000_000 }
const proof = consistencyProof(7, 20, tree)

describe('a witness', () => {
  it('cosigns a tree that continues the last one it saw, with the time, for everybody with its key', () => {
    const witnessed = witnessCheckpoint({ ...request, note: noteOf(20), proof })
    if ('refusal' in witnessed) throw new Error(witnessed.refusal)
    expect(witnessed.note.startsWith(noteOf(20))).toBe(true)
    const note = parseNote(witnessed.note)
    const key = parseVerifierKey(formatVerifierKey(signer.key))
    expect(cosignedAt(note, key)).toBe(1_700_000_000)
    expect(openCheckpoint(witnessed.note, log.key).size).toBe(20)
    expect(cosignedAt(note, noteSigner('witness.example', 'cosignature').key)).toBeNull()
  })

  it('cosigns the first tree that it sees, and the same tree again', () => {
    const first = witnessCheckpoint({ ...request, last: null, note: noteOf(20), proof: [] })
    expect(first).toHaveProperty('note')
    expect(witnessCheckpoint({ ...request, note: noteOf(7), proof: [] })).toHaveProperty('note')
  })

  it('refuses an older tree, another one of the same size, and one that does not continue', () => {
    const refusalOf = (note: string, proof: readonly Buffer[]) =>
      witnessCheckpoint({ ...request, note, proof })
    expect(refusalOf(noteOf(6), [])).toMatchObject({ refusal: 'behind' })
    expect(refusalOf(noteOf(7, others), [])).toMatchObject({ refusal: 'forked' })
    expect(refusalOf(noteOf(20), [])).toMatchObject({ refusal: 'unproven' })
    const forged = consistencyProof(7, 20, treeOfLeaves(others))
    expect(refusalOf(noteOf(20, others), forged)).toMatchObject({ refusal: 'unproven' })
  })

  it('accepts the log’s next key, if the key that it knows signed the hand-over', () => {
    const heir = noteSigner('log.example')
    const signers = { after: heir, before: log }
    const handover = formatHandover({ size: 10, before: log.key }, signers)
    const keys = logKeysOf(log.key, [parseHandover(handover)])
    const note = noteOf(20, leaves, heir)
    expect(witnessCheckpoint({ ...request, log: keys, note, proof })).toHaveProperty('note')
    expect(() => witnessCheckpoint({ ...request, note, proof })).toThrow(
      'not signed by log.example',
    )
  })

  it('refuses notes that the log did not sign', () => {
    const stranger = noteSigner('log.example')
    const note = noteOf(20, leaves, stranger)
    expect(() => witnessCheckpoint({ ...request, note, proof })).toThrow(
      'not signed by log.example',
    )
  })
})

describe('a cosignature', () => {
  it('does not hold for another text or time', () => {
    const text = 'log.example\n'
    const own = cosign(text, signer, 5)
    expect(cosignedAt({ text, signatures: [own] }, signer.key)).toBe(5)
    const otherText = { text: 'else\n', signatures: [own] }
    expect(() => cosignedAt(otherText, signer.key)).toThrow('does not hold')
    const later = Buffer.from(own.signature)
    later.writeUInt8(9, 7)
    const otherTime = { text, signatures: [{ ...own, signature: later }] }
    expect(() => cosignedAt(otherTime, signer.key)).toThrow('does not hold')
  })
})
