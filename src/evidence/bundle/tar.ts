import { MalformedEvidence } from '../malformed-evidence.ts'

const block = 512
const maxPathBytes = 100
/** A file is read as a whole, into memory. */
const maxFileBytes = 512 * 1024 * 1024

export interface ArchivedFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** One file of a POSIX archive (ustar): its header and its bytes. */
export function archiveFile({ path, bytes }: ArchivedFile): Buffer {
  const padding = Buffer.alloc(paddingOf(bytes.length))
  return Buffer.concat([headerOf(path, bytes.length), bytes, padding])
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(block)
  if (Buffer.byteLength(path) > maxPathBytes) throw new RangeError(`The path ${path} is too long`)
  if (size > maxFileBytes) throw new RangeError(`${path} has over ${maxFileBytes} bytes`)
  header.write(path, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function paddingOf(size: number): number {
  return (block - (size % block)) % block
}

export const archiveEnd = Buffer.alloc(2 * block)

/**
 * The files of such an archive as its bytes arrive. Throws `MalformedEvidence` unless they are
 * exactly what {@link archiveFile} writes, with each path once, and {@link archiveEnd}: other
 * programs also read fields, padding and bytes after the end, and would unpack other files.
 */
export async function* filesOfArchive(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchivedFile, void, undefined> {
  let buffer: Buffer = Buffer.alloc(0)
  let newChunks: Uint8Array[] = []
  let heldBytes = 0
  let minBytes = block
  const paths = new Set<string>()
  for await (const chunk of chunks) {
    newChunks.push(chunk)
    heldBytes += chunk.length
    // The bytes of a file are copied once, when its last chunk is there.
    if (heldBytes < minBytes) continue
    buffer = Buffer.concat([buffer, ...newChunks])
    newChunks = []
    for (;;) {
      minBytes = block
      if (buffer.length < minBytes) break
      if (buffer[0] === 0) {
        if (!archiveEnd.subarray(0, buffer.length).equals(buffer)) {
          throw new MalformedEvidence('The archive has more behind its files than an end')
        }
        break
      }
      const { path, size } = readHeader(buffer)
      minBytes = block + size + paddingOf(size)
      if (buffer.length < minBytes) break
      if (buffer.subarray(block + size, minBytes).some((byte) => byte !== 0)) {
        throw new MalformedEvidence('The archive has bytes between its files')
      }
      if (paths.has(path)) throw new MalformedEvidence(`The archive has ${path} twice`)
      paths.add(path)
      yield { path, bytes: buffer.subarray(block, block + size) }
      buffer = buffer.subarray(minBytes)
    }
    heldBytes = buffer.length
  }
  buffer = Buffer.concat([buffer, ...newChunks])
  if (!buffer.equals(archiveEnd)) throw new MalformedEvidence('The archive is not complete')
}

function readHeader(buffer: Buffer): { path: string; size: number } {
  const header = buffer.subarray(0, block)
  const text = (from: number, to: number): string =>
    header.toString('utf8', from, to).split('\0')[0] ?? ''
  const [path, digits] = [text(0, maxPathBytes), text(124, 136)]
  const size = /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : null
  const isPath = Buffer.byteLength(path) <= maxPathBytes
  if (size !== null && size > maxFileBytes)
    throw new MalformedEvidence(`${path} has over ${maxFileBytes} bytes`)
  if (size === null || !isPath || !headerOf(path, size).equals(header)) {
    throw new MalformedEvidence('This is not an archive of plain files')
  }
  return { path, size }
}

function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0)
}
