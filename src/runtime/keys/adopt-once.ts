import { join } from 'node:path'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { adoptRows } from '#services/installation/adopt-rows.ts'
import { readText, type Environment } from '../environment.ts'
import { writeKeyFile } from './key-files.ts'
import type { SigningSystemContext } from '#services/core/context.ts'
import { exists } from '../files.ts'

/**
 * Exists once the rows of earlier versions were adopted: outside the database, so that deleting a
 * row does not repeat it.
 */
function markerFile(dataDir: string): string {
  return join(dataDir, 'ledger', 'adopted.json')
}

/**
 * Adopts the rows from before there were seals, once for a data folder: at the first start of this
 * version with an existing key. A new folder has nothing to adopt. With the key from the
 * environment, whose folder may not be durable, only when `COUNTERSIGN_ADOPT_ROWS=1` is set.
 */
export async function adoptOnce(
  ctx: SigningSystemContext,
  { dataDir, environment, isNew }: RowAdoption,
): Promise<void> {
  const isRequested = readText(environment, 'COUNTERSIGN_ADOPT_ROWS') === '1'
  const isGiven = readText(environment, 'COUNTERSIGN_SIGNING_KEY') !== undefined
  const isFirst = !(await exists(markerFile(dataDir)))
  if (isRequested || (isFirst && !isNew && !isGiven)) {
    const adopted = await adoptRows(ctx, { again: false })
    ctx.log.warn({ adopted }, 'rows from before the introduction of seals are accepted from now on')
  }
  if (isFirst && (isRequested || !isGiven)) await markAdopted(dataDir)
}

/** Records that nothing of this folder's database is adopted any more. */
export async function markAdopted(dataDir: string): Promise<void> {
  const tables = Object.keys(sealedTables)
  await writeKeyFile(markerFile(dataDir), `${JSON.stringify({ tables })}\n`, 0o600)
}

export interface RowAdoption {
  readonly dataDir: string
  readonly environment: Environment
  /** the signing key was made just now */
  readonly isNew: boolean
}
