import { join } from 'node:path'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { adoptRows } from '#services/installation/adopt-rows.ts'
import { readText, type Environment } from '../environment.ts'
import { writeKeyFile } from './key-files.ts'
import type { SigningSystemContext } from '#services/core/context.ts'
import { exists } from '../files.ts'

/**
 * There once the rows of earlier versions were adopted: outside the database, so that clearing a
 * row brings nothing back.
 */
function markerFile(dataDir: string): string {
  return join(dataDir, 'ledger', 'adopted.json')
}

/**
 * Adopts the rows of before there were seals, once for a data folder: at the first start of this
 * version with the key that an earlier one made. A new folder has nothing to adopt. With the key
 * from the environment, whose folder may not last, only when `COUNTERSIGN_ADOPT_ROWS=1` asks for
 * it.
 */
export async function adoptOnce(
  ctx: SigningSystemContext,
  { dataDir, environment, isNew }: RowAdoption,
): Promise<void> {
  const isAsked = readText(environment, 'COUNTERSIGN_ADOPT_ROWS') === '1'
  const isGiven = readText(environment, 'COUNTERSIGN_SIGNING_KEY') !== undefined
  const isFirst = !(await exists(markerFile(dataDir)))
  if (isAsked || (isFirst && !isNew && !isGiven)) {
    const adopted = await adoptRows(ctx, { again: false })
    ctx.log.warn({ adopted }, 'rows from before the introduction of seals are accepted from now on')
  }
  if (isFirst && (isAsked || !isGiven)) await markAdopted(dataDir)
}

/** Nothing of the database of this folder is adopted by itself any more. */
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
