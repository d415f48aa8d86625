import { describe, expect, it } from 'vitest'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { inclusionProof } from '../merkle/inclusion-proof.ts'
import { leafHash } from '../merkle/tree-hash.ts'
import { treeOfLeaves } from '../merkle/tree-of-leaves.ts'
import { decodeEntries, encodeEntries } from './entry-bundle.ts'
import { splitTile, treeOfTiles } from './tile-hashes.ts'
import {
  entriesPath,
  parseEntriesPath,
  parseTilePath,
  tilePath,
  tilesOfLevel,
  tileWidth,
} from './tile-path.ts'

describe('the path of a tile', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 1, index: 17, width: 112 }, 'tile/1/017.p/112'],
    [{ level: 0, index: 1234067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 0, index: 1000, width: 8 }, 'tile/0/x001/000.p/8'],
  ])('of %j is %s, and read back', (tile, path) => {
    expect(tilePath(tile)).toBe(path)
    expect(parseTilePath(path)).toEqual(tile)
    const entries = { index: tile.index, width: tile.width }
    expect(parseEntriesPath(entriesPath(entries))).toEqual(entries)
  })

  it.each([
    'tile/0/0',
    'tile/00/000',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/257',
    'tile/0/000.p/01',
    'tile/64/000',
    'tile/0/x001',
    'tile/0/../000',
    'tile/0/x999/x999/x999/x999/x999/999',
    '',
  ])('is not "%s"', (path) => {
    expect(parseTilePath(path)).toBeNull()
    expect(parseEntriesPath(path.replace('tile/0', 'tile/entries'))).toBeNull()
  })

  it('names the tiles of the tree of 70,000 leaves in the specification', () => {
    const tiles = (level: number) => tilesOfLevel(level, 70_000).map(tilePath)
    expect(tiles(0)).toHaveLength(274)
    expect(tiles(0).at(-1)).toBe('tile/0/273.p/112')
    expect(tiles(1)).toEqual(['tile/1/000', 'tile/1/001.p/17'])
    expect(tiles(2)).toEqual(['tile/2/000.p/1'])
    expect(tiles(3)).toEqual([])
  })
})

describe('entries', () => {
  it('are stored byte for byte after their lengths', () => {
    const entries = [Buffer.from('{}'), Buffer.alloc(0), Buffer.alloc(0xffff, 7)]
    const bytes = encodeEntries(entries)
    expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0, 2, 0x7b, 0x7d]))
    expect(decodeEntries(bytes)).toEqual(entries)
    expect(() => decodeEntries(bytes.subarray(0, -1))).toThrow(MalformedEvidence)
    expect(() => decodeEntries(Buffer.of(0))).toThrow(MalformedEvidence)
    expect(() => encodeEntries([Buffer.alloc(0x10000)])).toThrow(RangeError)
  })
})

describe('a tree out of tiles', () => {
  it('has the hashes of the tree that is made of the leaves', () => {
    const size = 3 * tileWidth + 5
    const leaves = Array.from({ length: size }, (_, index) => leafHash(String(index)))
    const whole = treeOfLeaves(leaves)
    const tree = treeOfTiles(({ level, index }) => {
      const tile = tilesOfLevel(level, size)[index]
      const hashes = Array.from({ length: tile?.width ?? 0 }, (_, inTile) =>
        whole({ level: level * 8, index: index * tileWidth + inTile }),
      )
      return splitTile(Buffer.concat(hashes))
    })
    for (const index of [0, 255, 256, 700, size - 1]) {
      expect(inclusionProof(index, size, tree)).toEqual(inclusionProof(index, size, whole))
    }
    expect(() => tree({ level: 10, index: 1 })).toThrow(RangeError)
    expect(() => splitTile(Buffer.alloc(33))).toThrow(MalformedEvidence)
  })
})
