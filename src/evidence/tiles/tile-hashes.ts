import { hashBytesLong } from '../merkle/tree-hash.ts'
import { treeOfLeaves } from '../merkle/tree-of-leaves.ts'
import type { NodeAt, TreeNode } from '../merkle/tree-range.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { tileHeight, tileWidth } from './tile-path.ts'

/** The level and index of a tile. */
export interface TilePlace {
  readonly level: number
  readonly index: number
}

/** The tile that a subtree's hash is read or computed from. */
export function tileOfNode({ level, index }: TreeNode): TilePlace {
  const tileLevel = Math.floor(level / tileHeight)
  const leavesOfTile = tileWidth / 2 ** (level % tileHeight)
  return { level: tileLevel, index: Math.floor(index / leavesOfTile) }
}

/** The hashes of a tile's bytes, 32 bytes each. Throws `MalformedEvidence` on another length. */
export function splitTile(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length % hashBytesLong !== 0) {
    throw new MalformedEvidence(
      `A tile has ${bytes.length} bytes, which is not a whole number of hashes`,
    )
  }
  return Array.from({ length: bytes.length / hashBytesLong }, (_, index) =>
    bytes.subarray(index * hashBytesLong, (index + 1) * hashBytesLong),
  )
}

/** A tree read from its tiles. `hashesOf` throws for a missing one. */
export function treeOfTiles(hashesOf: (tile: TilePlace) => readonly Uint8Array[]): NodeAt {
  const trees = new Map<string, NodeAt>()
  return (node) => {
    const tile = tileOfNode(node)
    const name = `${tile.level}/${tile.index}`
    const tree = trees.get(name) ?? treeOfLeaves(hashesOf(tile))
    trees.set(name, tree)
    const level = node.level % tileHeight
    return tree({ level, index: node.index - tile.index * (tileWidth / 2 ** level) })
  }
}
