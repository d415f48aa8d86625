import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sealedTables, type SealedTable } from '#domain/statements/sealed-tables.ts'
import { adoptRows } from '#services/installation/adopt-rows.ts'
import { readText, type Environment } from '../environment.ts'
import { writeKeyFile } from './key-files.ts'
import type { SigningSystemContext } from '#services/core/context.ts'
import { exists } from '../files.ts'

/**
 * Names the tables whose rows of earlier versions were adopted: outside the database, so that
 * deleting a row does not repeat it.
 */
function markerFile(dataDir: string): string {
  return join(dataDir, 'ledger', 'adopted.json')
}

/**
 * Adopts the rows from before their table was sealed, once for a data folder and table: at the
 * first start of the version that seals it, with an existing key. A new folder has nothing to
 * adopt. With the key from the environment, whose folder may not be durable, only when
 * `COUNTERSIGN_ADOPT_ROWS=1` is set.
 */
export async function adoptOnce(
  ctx: SigningSystemContext,
  { dataDir, environment, isNew }: RowAdoption,
): Promise<void> {
  const isRequested = readText(environment, 'COUNTERSIGN_ADOPT_ROWS') === '1'
  const isGiven = readText(environment, 'COUNTERSIGN_SIGNING_KEY') !== undefined
  const before = await adoptedTables(dataDir)
  const added = tables.filter((table) => !before.includes(table))
  if (isRequested || (added.length > 0 && !isNew && !isGiven)) {
    const only = isRequested ? tables : added
    const adopted = await adoptRows(ctx, { again: false, tables: only })
    ctx.log.warn({ adopted }, 'rows from before the introduction of seals are accepted from now on')
  }
  if (added.length > 0 && (isRequested || !isGiven)) await markAdopted(dataDir)
}

const tables = Object.keys(sealedTables) as SealedTable[]

/** The tables whose rows this folder has adopted. */
async function adoptedTables(dataDir: string): Promise<readonly string[]> {
  if (!(await exists(markerFile(dataDir)))) return []
  return (JSON.parse(await readFile(markerFile(dataDir), 'utf8')) as { tables: string[] }).tables
}

/** Records that nothing of this folder's database is adopted any more. */
export async function markAdopted(dataDir: string): Promise<void> {
  await writeKeyFile(markerFile(dataDir), `${JSON.stringify({ tables })}\n`, 0o600)
}

export interface RowAdoption {
  readonly dataDir: string
  readonly environment: Environment
  /** the signing key was made just now */
  readonly isNew: boolean
}
