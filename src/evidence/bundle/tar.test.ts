import { expect, test, vi } from 'vitest'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { archiveEnd, archiveFile, filesOfArchive, type ArchivedFile } from './tar.ts'

const one = archiveFile({ path: 'checkpoint', bytes: Buffer.from('one') })
const other = archiveFile({ path: 'keys', bytes: Buffer.from('two') })

async function unpack(...parts: readonly Buffer[]): Promise<ArchivedFile[]> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const part of parts) yield part
  }
  const files: ArchivedFile[] = []
  for await (const file of filesOfArchive(chunks())) files.push(file)
  return files
}

/** A file with another size in its header, and a valid checksum. */
function ofSize(size: string): Buffer {
  return withHeader(`${size}\0`.slice(0, 12).padEnd(12, '\0'), 124)
}

/** A file with a text somewhere in its header, and a valid checksum. */
function withHeader(text: string, at: number): Buffer {
  const file = Buffer.from(one)
  file.write(text, at)
  file.fill(' ', 148, 156)
  const sum = file.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  file.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return file
}

test('the files of an archive are read as they were written', async () => {
  const files = await unpack(one, other, archiveEnd)
  expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
    ['checkpoint', 'one'],
    ['keys', 'two'],
  ])
})

// A size that is no number counted as zero, and the same header was read without end.
test.each(['', 'x', '-7', '9', ' 3', '1e3'])('a size of %j is refused', async (size) => {
  await expect(unpack(ofSize(size), archiveEnd)).rejects.toThrow(MalformedEvidence)
})

test('a file that is too large is refused before its bytes are read', async () => {
  await expect(unpack(ofSize('04000000001'))).rejects.toThrow('has over 536870912 bytes')
})

test('a repeated path is refused', async () => {
  await expect(unpack(one, other, one, archiveEnd)).rejects.toThrow('has checkpoint twice')
})

test('an archive that ends too early is refused', async () => {
  await expect(unpack(one, other.subarray(0, 600))).rejects.toThrow('not complete')
  await expect(unpack(one, archiveEnd.subarray(0, 512))).rejects.toThrow('not complete')
  await expect(unpack(one, archiveEnd.subarray(0, 100))).rejects.toThrow('not complete')
})

// Other programs unpack the first to `other/checkpoint`, and read more files after the last.
test.each([
  ['a folder in the header that stands before the path', withHeader('other', 345)],
  ['an owner', withHeader('0000001', 108)],
  ['a word behind the path', withHeader('x', 50)],
  ['bytes that fill up the file', one.with(512 + 3, 1)],
])('an archive with %s is refused', async (_, file) => {
  await expect(unpack(Buffer.from(file), archiveEnd)).rejects.toThrow(MalformedEvidence)
})

test.each([
  ['more zeros', [archiveEnd, Buffer.alloc(1)]],
  ['a file', [archiveEnd, other]],
  ['a byte in its end', [archiveEnd.with(600, 1)]],
])('an archive that ends with %s is refused, however it arrives', async (_, end) => {
  const parts = [one, ...end.map((part) => Buffer.from(part))]
  await expect(unpack(...parts)).rejects.toThrow(MalformedEvidence)
  await expect(unpack(Buffer.concat(parts))).rejects.toThrow(MalformedEvidence)
})

test('an archive is read alike however it is cut', async () => {
  const bytes = Buffer.concat([one, other, archiveEnd])
  for (const length of [1, 100, 511, 513, 1025]) {
    const count = Math.ceil(bytes.length / length)
    const cut = Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * length, (at + 1) * length),
    )
    expect(await unpack(...cut)).toHaveLength(2)
  }
})

test('a file that arrives in many parts is copied once', async () => {
  const file = archiveFile({ path: 'rows', bytes: Buffer.alloc(1_000_000, 'x') })
  const parts = Array.from({ length: 200 }, (_, at) => file.subarray(at * 5_005, (at + 1) * 5_005))
  const concat = vi.spyOn(Buffer, 'concat')
  try {
    expect(await unpack(...parts, archiveEnd)).toHaveLength(1)
    const copied = concat.mock.results.map(({ value }) => (value as Buffer).length)
    expect(copied.reduce((sum, length) => sum + length, 0)).toBeLessThan(2 * file.length)
  } finally {
    concat.mockRestore()
  }
})
