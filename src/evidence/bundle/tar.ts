import { MalformedEvidence } from '../malformed-evidence.ts'

const block = 512

export interface ArchivedFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * One file of a POSIX archive (ustar): its header and its bytes. The path has at most 100 bytes.
 */
export function archiveFile({ path, bytes }: ArchivedFile): Buffer {
  const header = Buffer.alloc(block)
  if (Buffer.byteLength(path) > 100) throw new RangeError(`The path ${path} is too long`)
  header.write(path, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((block - (bytes.length % block)) % block)
  return Buffer.concat([header, bytes, padding])
}

export const archiveEnd = Buffer.alloc(2 * block)

/**
 * The files of such an archive as its bytes arrive. Throws `MalformedEvidence` on anything except
 * plain files, and on a repeated path, which programs unpack differently.
 */
export async function* filesOfArchive(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchivedFile, void, undefined> {
  let buffer: Buffer = Buffer.alloc(0)
  const paths = new Set<string>()
  for await (const chunk of chunks) {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      if (buffer.length < block) break
      if (buffer[0] === 0) return
      const { path, size } = readHeader(buffer)
      const end = block + Math.ceil(size / block) * block
      if (buffer.length < end) break
      if (paths.has(path)) throw new MalformedEvidence(`The archive has ${path} twice`)
      paths.add(path)
      yield { path, bytes: buffer.subarray(block, block + size) }
      buffer = buffer.subarray(end)
    }
  }
  throw new MalformedEvidence('The archive is not complete')
}

function readHeader(header: Buffer): { path: string; size: number } {
  const text = (from: number, to: number): string =>
    header.toString('utf8', from, to).split('\0')[0] ?? ''
  const size = text(124, 136)
  const sum = Number.parseInt(text(148, 156), 8)
  const blank = Buffer.from(header.subarray(0, block)).fill(' ', 148, 156)
  const isPlain = text(257, 263) === 'ustar' && text(156, 157) === '0' && /^[0-7]+$/.test(size)
  if (!isPlain || sum !== checksumOf(blank)) {
    throw new MalformedEvidence('This is not an archive of plain files')
  }
  return { path: text(0, 100), size: Number.parseInt(size, 8) }
}

function checksumOf(header: Buffer): number {
  return header.subarray(0, block).reduce((sum, byte) => sum + byte, 0)
}
