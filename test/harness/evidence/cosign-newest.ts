import { cosign } from '#evidence/note/cosignature.ts'
import { keyLabel } from '#evidence/note/note-key.ts'
import { formatSignature, parseNote, type NoteSigner } from '#evidence/note/signed-note.ts'
import { readNewestCheckpoint, type StoredCheckpoint } from '#store/audit/audit-log.ts'
import { leaseWitness, releaseWitness, writeCosignature } from '#store/audit/witnesses.ts'
import type { Db } from '#store/database.ts'

/**
 * Has the witness `office` cosign the newest checkpoint, as the relay does when it answers. Returns
 * the checkpoint's size.
 */
export async function cosignNewest(db: Db, witness: NoteSigner): Promise<number> {
  const newest = await readNewestCheckpoint(db)
  if (newest === null) throw new Error('There is no checkpoint')
  await cosignCheckpoint(db, newest, witness, 'office')
  return newest.size
}

/**
 * Has a witness cosign a checkpoint, and keeps its answer as the relay does. `name`: the witness'
 * in the configuration.
 */
export async function cosignCheckpoint(
  db: Db,
  { size, note }: StoredCheckpoint,
  witness: NoteSigner,
  name: string,
): Promise<void> {
  const cosignedAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const id = keyLabel(witness.key)
  const line = formatSignature(cosign(parseNote(note).text, witness, cosignedAt.getTime() / 1000))
  await leaseWitness(db, { id, name }, 60_000)
  await writeCosignature(db, { size, id, line, cosignedAt })
  await releaseWitness(db, id, { pauseMs: 0, problem: null, isContradicted: false })
}
