import { createHash } from 'node:crypto'

/** The bytes before the name of an entry: times, mode, size, hash (20 bytes) and flags. */
const fixedBytes = 62
const modeAt = 24
const hashBytes = 20
const maxNames = 2_000_000

/** The type in the mode of an entry that is a repository within the repository. */
export const nestedRepositoryMode = 0o160000

/**
 * The modes of the paths in a Git index (gitformat-index(5), versions 2 to 4, SHA-1), or `null` for
 * other bytes: also for an index of a SHA-256 repository, and for one of which a part is in another
 * file. Never throws.
 */
export function trackedModes(bytes: Buffer): ReadonlyMap<string, number> | null {
  if (bytes.length < 12 + hashBytes || bytes.toString('latin1', 0, 4) !== 'DIRC') return null
  if (!hasOwnHash(bytes)) return null
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  if (version < 2 || version > 4 || count > maxNames) return null
  const modes = new Map<string, number>()
  let previous = Buffer.alloc(0)
  let at = 12
  for (let entry = 0; entry < count; entry += 1) {
    if (at + fixedBytes > bytes.length) return null
    const isExtended = (bytes.readUInt16BE(at + 60) & 0x4000) !== 0
    const start = at + fixedBytes + (isExtended ? 2 : 0)
    const prefix =
      version === 4 ? sharedPrefix(bytes, start, previous.length) : { length: 0, from: start }
    if (prefix === null) return null
    const end = bytes.indexOf(0, prefix.from)
    if (end < 0) return null
    const name = Buffer.concat([
      previous.subarray(0, prefix.length),
      bytes.subarray(prefix.from, end),
    ])
    modes.set(name.toString('utf8'), bytes.readUInt32BE(at + modeAt))
    previous = name
    // Entries of the older versions are padded to multiples of eight bytes.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  return isWhole(bytes, at) ? modes : null
}

/** Whether an index ends with its SHA-1 hash, or with zeros, as Git writes it without one. */
function hasOwnHash(bytes: Buffer): boolean {
  const end = bytes.length - hashBytes
  const hash = createHash('sha1').update(bytes.subarray(0, end)).digest()
  const written = bytes.subarray(end)
  return written.equals(hash) || written.equals(Buffer.alloc(hashBytes))
}

/**
 * Whether only extensions and the hash stand behind the entries. The extension `link` refers to
 * another file with more entries (a split index).
 */
function isWhole(bytes: Buffer, entriesEnd: number): boolean {
  const end = bytes.length - hashBytes
  let at = entriesEnd
  while (at + 8 <= end) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return false
    at += 8 + bytes.readUInt32BE(at + 4)
  }
  return at === end
}

/** Version 4: how many bytes of the previous name's end to remove, in base 128. */
function sharedPrefix(
  bytes: Buffer,
  start: number,
  previousLength: number,
): { readonly length: number; readonly from: number } | null {
  let at = start
  let value = (bytes[at] ?? 0) & 0x7f
  while (((bytes[at] ?? 0) & 0x80) !== 0) {
    at += 1
    if (at >= bytes.length || at > start + 4) return null
    value = ((value + 1) << 7) | ((bytes[at] ?? 0) & 0x7f)
  }
  return value > previousLength ? null : { length: previousLength - value, from: at + 1 }
}
