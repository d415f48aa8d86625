import { Problem } from '#domain/problem.ts'
import { encodeEntries } from '#evidence/tiles/entry-bundle.ts'
import {
  parseEntriesPath,
  parseTilePath,
  tileWidth,
  type EntryTile,
  type Tile,
} from '#evidence/tiles/tile-path.ts'
import { readLeafDocuments } from '#store/audit/audit-log.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { auditReaderOf } from '../audit-filter.ts'
import { recordReading } from '../record-reading.ts'
import { readCheckpoint } from './read-checkpoint.ts'
import { readTileHashes } from './stored-tree.ts'

/**
 * The bytes under a path of C2SP tlog-tiles, of the tree of the newest checkpoint. Takes the right
 * to read the whole trail, and records the reading. Rejects with `forbidden` for others, with
 * `not_found` for a path that the tree does not have.
 */
export async function readTile(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly path: string; readonly keyReadsAudit: boolean },
): Promise<Buffer> {
  const reader = await auditReaderOf(ctx, caller, input.keyReadsAudit)
  if (!reader.canReadAll)
    throw new Problem('forbidden', 'Reading the log needs the right readAudit')
  const { size } = await readCheckpoint(ctx)
  const entries = parseEntriesPath(input.path)
  const tile = entries === null ? parseTilePath(input.path) : { level: 0, ...entries }
  if (tile === null || !isIn(tile, size)) {
    throw new Problem('not_found', `The log of ${size} events has no ${input.path.slice(0, 80)}`)
  }
  if (entries === null) return Buffer.concat(await readTileHashes(ctx.db, tile))
  await recordReading(ctx, caller, { format: 'entries', filter: {} })
  return encodeEntries(await readEntries(ctx, entries))
}

function isIn({ level, index, width }: Tile, size: number): boolean {
  return index * tileWidth + width <= Math.floor(size / tileWidth ** level)
}

async function readEntries(ctx: ServiceContext, { index, width }: EntryTile): Promise<Buffer[]> {
  const begin = index * tileWidth
  const documents = await readLeafDocuments(ctx.db, begin, begin + width)
  return documents.map((document) => Buffer.from(document))
}
