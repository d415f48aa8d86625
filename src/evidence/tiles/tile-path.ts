/** The number of levels of a tile, and so of its hashes (C2SP tlog-tiles). */
export const tileHeight = 8
export const tileWidth = 256

/** A tile: `level` of tiles, `index` from the left, `width` in hashes (below 256: partial). */
export interface Tile {
  readonly level: number
  readonly index: number
  readonly width: number
}

/** Entries of a tile of level 0: the bytes of leaves `index * 256` on, `width` of them. */
export interface EntryTile {
  readonly index: number
  readonly width: number
}

/** `tile/<L>/<N>[.p/<W>]` (C2SP tlog-tiles). */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${placePath(index, width)}`
}

/** `tile/entries/<N>[.p/<W>]` (C2SP tlog-tiles). */
export function entriesPath({ index, width }: EntryTile): string {
  return `tile/entries/${placePath(index, width)}`
}

/** The tile that a path names; `null` for any other path, or one in another spelling. */
export function parseTilePath(path: string): Tile | null {
  const [, level = '', place = ''] = /^tile\/(\d{1,2})\/(.+)$/.exec(path) ?? []
  const at = placeOf(place)
  const tile = at && { level: Number(level), ...at }
  return tile !== null && tilePath(tile) === path && tile.level <= 63 ? tile : null
}

/** Which entries a path names; `null` for any other path. */
export function parseEntriesPath(path: string): EntryTile | null {
  const [, place = ''] = /^tile\/entries\/(.+)$/.exec(path) ?? []
  const tile = placeOf(place)
  return tile !== null && entriesPath(tile) === path ? tile : null
}

/** A level's tiles for `size` leaves: whole ones, and perhaps a partial one at the end. */
export function tilesOfLevel(level: number, size: number): Tile[] {
  const hashes = Math.floor(size / tileWidth ** level)
  return Array.from({ length: Math.ceil(hashes / tileWidth) }, (_, index) => ({
    level,
    index,
    width: Math.min(tileWidth, hashes - index * tileWidth),
  }))
}

/** Three digits an element, all but the last behind an `x`: 1234067 is `x001/x234/067`. */
function placePath(index: number, width: number): string {
  const digits = String(index)
  const whole = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const elements = (whole.match(/\d{3}/g) ?? []).map((three) => `x${three}`)
  const path = elements.join('/').replace(/x(\d{3})$/, '$1')
  return width === tileWidth ? path : `${path}.p/${width}`
}

function placeOf(path: string): EntryTile | null {
  const match = /^((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path)
  if (match === null) return null
  const index = Number((match[1] ?? '').replaceAll(/[x/]/g, ''))
  const width = match[2] === undefined ? tileWidth : Number(match[2])
  const isPlace = Number.isSafeInteger(index) && width >= 1 && width <= tileWidth
  return isPlace ? { index, width } : null
}
