import { nodesOfRange, type NodeAt, type TreeRange } from '#evidence/merkle/tree-range.ts'
import { splitTile, tileOfNode, treeOfTiles } from '#evidence/tiles/tile-hashes.ts'
import { tileWidth, type Tile } from '#evidence/tiles/tile-path.ts'
import { readLeafHashes, readTileRoots, readWholeTile } from '#store/audit/audit-log.ts'
import type { Db, Tx } from '#store/database.ts'

/**
 * The hashes of a tile, as many as its width: of a whole tile as stored, else computed from those
 * below. Rejects unless all are stored.
 */
export async function readTileHashes(
  db: Db | Tx,
  { level, index, width }: Tile,
): Promise<readonly Uint8Array[]> {
  const storedTile = await readWholeTile(db, level, index)
  if (storedTile !== null) return splitTile(storedTile).slice(0, width)
  const begin = index * tileWidth
  return level === 0
    ? readLeafHashes(db, begin, begin + width)
    : readTileRoots(db, level - 1, begin, begin + width)
}

/** The part of the tree of `size` leaves that the hashes of these ranges need: a few tiles. */
export async function loadTree(
  db: Db | Tx,
  size: number,
  ranges: readonly TreeRange[],
): Promise<NodeAt> {
  const hashes = new Map<string, readonly Uint8Array[]>()
  for (const { level, index } of ranges.flatMap(nodesOfRange).map(tileOfNode)) {
    const name = `${level}/${index}`
    if (hashes.has(name)) continue
    const atLevel = Math.floor(size / tileWidth ** level)
    const width = Math.min(tileWidth, atLevel - index * tileWidth)
    hashes.set(name, await readTileHashes(db, { level, index, width }))
  }
  return treeOfTiles(({ level, index }) => hashes.get(`${level}/${index}`) ?? [])
}
