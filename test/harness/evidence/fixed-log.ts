import { generateKeyPairSync } from 'node:crypto'
import { formatAddCheckpoint } from '#evidence/note/add-checkpoint.ts'
import { formatCheckpoint } from '#evidence/note/checkpoint.ts'
import { noteKey, type NoteAlgorithm } from '#evidence/note/note-key.ts'
import { formatNote, signText, type NoteSigner } from '#evidence/note/signed-note.ts'
import { consistencyProof } from '#evidence/merkle/consistency-proof.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { treeOfLeaves, treeRoot } from '#evidence/merkle/tree-of-leaves.ts'

export function noteSigner(name: string, algorithm: NoteAlgorithm = 'ed25519'): NoteSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { key: noteKey(name, publicKey, algorithm), privateKey }
}

/**
 * A log of fixed leaves at any size up to their number, without a database. `salt` makes another
 * history under the same key.
 */
export interface FixedLog {
  readonly signer: NoteSigner
  note(size: number, by?: NoteSigner): string
  /** a whole body of `add-checkpoint` */
  ask(old: number, size: number): string
}

export function fixedLog(signer: NoteSigner, salt = '', length = 100): FixedLog {
  const leaves = Array.from({ length }, (_, index) => leafHash(`${index}${salt}`))
  const tree = treeOfLeaves(leaves)
  const note = (size: number, by = signer): string => {
    const root = treeRoot(leaves.slice(0, size))
    const text = formatCheckpoint({ origin: signer.key.name, size, root, extensions: [] })
    return formatNote({ text, signatures: [signText(text, by)] })
  }
  return {
    signer,
    note,
    ask: (old, size) =>
      formatAddCheckpoint({ old, proof: consistencyProof(old, size, tree), note: note(size) }),
  }
}
