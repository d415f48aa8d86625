import { Problem } from '../../../domain/problem.ts'
import { readNewestCheckpoint, type NewestCheckpoint } from '../../../store/audit/audit-log.ts'
import { readCosignatures } from '../../../store/audit/witnesses.ts'
import type { ServiceContext } from '../../context.ts'

/**
 * The newest signed checkpoint of the log (audit.md, Verifying), with the signature lines of the witnesses that have cosigned
 * it by now. Rejects with `not_found` before the first.
 */
export async function readCheckpoint(ctx: ServiceContext): Promise<NewestCheckpoint> {
  const newest = await readNewestCheckpoint(ctx.db)
  if (newest === null) throw new Problem('not_found', 'The log has no checkpoint yet: try again')
  const lines = (await readCosignatures(ctx.db, [newest.size])).get(newest.size) ?? []
  return { ...newest, note: newest.note + lines.join('') }
}
