import { describe, expect, it } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { treeRoot } from '../merkle/tree-of-leaves.ts'
import { formatCheckpoint } from './checkpoint.ts'
import { formatHandover, parseHandover } from './handover.ts'
import { logKeysOf, openLogCheckpoint } from './log-keys.ts'
import { noteKey } from './note-key.ts'
import { formatNote, signText, type NoteSigner } from './signed-note.ts'

const name = 'countersign/0123456789abcdef'
const newSigner = (): NoteSigner => noteSigner(name)
const [first, second, third, thief] = [newSigner(), newSigner(), newSigner(), newSigner()]

function checkpoint(size: number, ...signers: NoteSigner[]): string {
  const text = formatCheckpoint({ origin: name, size, root: treeRoot([]), extensions: [] })
  return formatNote({ text, signatures: signers.map((signer) => signText(text, signer)) })
}

function handover(size: number, before: NoteSigner, after: NoteSigner, vouched = true) {
  const signers = { after, before: vouched ? before : null }
  return parseHandover(formatHandover({ size, before: before.key }, signers))
}
const chain = [handover(10, first, second), handover(20, second, third)]

describe('the keys of a log', () => {
  // Rules: security.md 13
  it('lead from the first key to its successors', () => {
    const keys = logKeysOf(first.key, chain)
    expect(openLogCheckpoint(checkpoint(10, second, first), keys).size).toBe(10)
    expect(openLogCheckpoint(checkpoint(15, second), keys).size).toBe(15)
    expect(openLogCheckpoint(checkpoint(30, third), keys).size).toBe(30)
    expect(keys.unvouched).toEqual([])
  })

  it('lead back from the newest key, for somebody who has only that one', () => {
    const keys = logKeysOf(third.key, chain)
    expect(openLogCheckpoint(checkpoint(5, first), keys).size).toBe(5)
    expect(openLogCheckpoint(checkpoint(15, second), keys).size).toBe(15)
  })

  it('verify nothing that was signed after another key took over', () => {
    const keys = logKeysOf(first.key, chain)
    expect(() => openLogCheckpoint(checkpoint(11, first), keys)).toThrow('had replaced it')
    expect(() => openLogCheckpoint(checkpoint(40, second), keys)).toThrow('had replaced it')
    expect(() => openLogCheckpoint(checkpoint(5, thief), keys)).toThrow('is not signed by')
  })

  it('do not lead to a key that the previous one did not sign, whoever else signed it', () => {
    const lost = [handover(10, first, second, false)]
    const keys = logKeysOf(first.key, lost)
    expect(keys.keys).toHaveLength(1)
    expect(() => openLogCheckpoint(checkpoint(12, second), keys)).toThrow(
      'which took over at 10 events without the signature of the key before',
    )
    const logKeys = logKeysOf(second.key, lost)
    expect(openLogCheckpoint(checkpoint(12, second), logKeys).size).toBe(12)
    expect(openLogCheckpoint(checkpoint(9, first), logKeys).size).toBe(9)
  })

  it('are of one log, and each new key signs its own hand-over', () => {
    const note = formatHandover(
      { size: 10, before: first.key },
      { after: { ...second, privateKey: thief.privateKey }, before: first },
    )
    expect(() => parseHandover(note)).toThrow('does not hold')
    const other: NoteSigner = {
      ...second,
      key: noteKey('countersign/other', second.key.publicKey),
    }
    expect(() =>
      parseHandover(
        formatHandover({ size: 1, before: first.key }, { after: other, before: first }),
      ),
    ).toThrow('of another log')
    expect(() => parseHandover(checkpoint(1, first))).toThrow('names its log')
  })
})
