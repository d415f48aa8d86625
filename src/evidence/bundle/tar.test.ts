import { expect, test } from 'vitest'
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

/** A file whose header says another size, with a checksum that holds. */
function ofSize(size: string): Buffer {
  const file = Buffer.from(one)
  file.write(`${size}\0`.slice(0, 12).padEnd(12, '\0'), 124)
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

// A size that is no number was zero bytes and a header that was read again, without end.
test.each(['', 'x', '-7', '9', ' 3', '1e3'])('a size of %j is refused', async (size) => {
  await expect(unpack(ofSize(size), archiveEnd)).rejects.toThrow(MalformedEvidence)
})

test('a repeated path is refused', async () => {
  await expect(unpack(one, other, one, archiveEnd)).rejects.toThrow('has checkpoint twice')
})

test('an archive that ends too early is refused', async () => {
  await expect(unpack(one, other.subarray(0, 600))).rejects.toThrow('not complete')
})
