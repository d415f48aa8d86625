import { MalformedEvidence } from '../malformed-evidence.ts'

/** The most bytes an entry may have: its length is two bytes. */
const maxEntryLength = 0xffff

/** Entries one after the other, each behind its length as a big-endian uint16 (C2SP tlog-tiles). */
export function encodeEntries(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.length > maxEntryLength)
        throw new RangeError(`An entry has over ${maxEntryLength} bytes`)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(entry.length)
      return [length, entry]
    }),
  )
}

/** The entries of such bytes. Throws `MalformedEvidence` when they end in the middle of one. */
export function decodeEntries(bytes: Uint8Array): Buffer[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const entries: Buffer[] = []
  let at = 0
  while (at < buffer.length) {
    const end = at + 2 <= buffer.length ? at + 2 + buffer.readUInt16BE(at) : Infinity
    if (end > buffer.length) throw new MalformedEvidence('The entries end within an entry')
    entries.push(buffer.subarray(at + 2, end))
    at = end
  }
  return entries
}
