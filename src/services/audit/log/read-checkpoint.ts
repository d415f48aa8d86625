import { Problem } from '#domain/problem.ts'
import {
  readNewestCheckpoint,
  type NewestCheckpoint,
  type StoredCheckpoint,
} from '#store/audit/audit-log.ts'
import { readCosignatures, readNotes, readWitnesses } from '#store/audit/witnesses.ts'
import type { Db } from '#store/database.ts'
import type { ServiceContext } from '../../core/context.ts'

/**
 * The newest signed checkpoint of the log (audit.md, Verifying), with the cosignatures that it has
 * now. Rejects with `not_found` before the first one.
 */
export async function readCheckpoint(ctx: ServiceContext): Promise<NewestCheckpoint> {
  const newest = await readNewestCheckpoint(ctx.db)
  if (newest === null) throw new Problem('not_found', 'The log has no checkpoint yet: try again')
  const lines = (await readCosignatures(ctx.db, [newest.size])).get(newest.size) ?? []
  return { ...newest, note: newest.note + lines.join('') }
}

/**
 * The newest checkpoint of at most `maxSize` events that each configured witness cosigned, with all
 * its cosignatures; the largest first. Witnesses without such a checkpoint are left out.
 */
export async function readWitnessedCheckpoints(
  db: Db,
  maxSize: number,
): Promise<StoredCheckpoint[]> {
  const sizes = new Set((await readWitnesses(db)).map(({ size }) => size))
  const cosigned = [...sizes].filter((size) => size > 0 && size <= maxSize)
  const [notes, lines] = [await readNotes(db, cosigned), await readCosignatures(db, cosigned)]
  return notes.map(({ size, note }) => ({ size, note: note + (lines.get(size) ?? []).join('') }))
}
