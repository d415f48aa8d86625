import { consistencyProof, consistencyRanges } from '#evidence/merkle/consistency-proof.ts'
import { inclusionProof, inclusionRanges } from '#evidence/merkle/inclusion-proof.ts'
import { readLeafIndexes, type StoredCheckpoint } from '#store/audit/audit-log.ts'
import type { Db, Tx } from '#store/database.ts'
import { loadTree } from './stored-tree.ts'

/** A leaf of the log and its audit path to the root of a checkpoint, lowest hash first. */
export interface ProvenLeaf {
  readonly index: number
  readonly proof: readonly Buffer[]
}

/**
 * By event id: the place of each event in the log, with its proof for this checkpoint. Events that
 * the checkpoint does not cover yet are left out.
 */
export async function proveEvents(
  db: Db | Tx,
  { size }: Pick<StoredCheckpoint, 'size'>,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, ProvenLeaf>> {
  const indexes = await readLeafIndexes(db, eventIds)
  const covered = [...indexes].filter(([, index]) => index < size)
  const ranges = covered.flatMap(([, index]) => inclusionRanges(index, size))
  const tree = await loadTree(db, size, ranges)
  return new Map(
    covered.map(([id, index]) => [id, { index, proof: inclusionProof(index, size, tree) }]),
  )
}

/**
 * The proof that the log of `size` events begins with that of `from` events. Both are sizes of
 * checkpoints.
 */
export async function proveConsistency(
  db: Db | Tx,
  from: number,
  { size }: Pick<StoredCheckpoint, 'size'>,
): Promise<Buffer[]> {
  const tree = await loadTree(db, size, consistencyRanges(from, size))
  return consistencyProof(from, size, tree)
}
