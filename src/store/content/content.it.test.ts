import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createZstdCompress } from 'node:zlib'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { getContent, putContent } from './content.ts'

const { db } = disposeAfterTests(await createTestDatabase())
const mebibyte = 1024 * 1024

// Rules: security.md 24, 29
test('a row of a few bytes that would expand beyond the memory of a process is refused as changed', async () => {
  const zeros = Array<Buffer>(700).fill(Buffer.alloc(mebibyte))
  const bytes = await buffer(Readable.from(zeros).pipe(createZstdCompress()))
  expect(bytes.length).toBeLessThan(100_000)
  // Its hash and size are right, so that only the bound refuses it.
  const sha256 = createHash('sha256')
  for (const part of zeros) sha256.update(part)
  const hash = `sha256:${sha256.digest('hex')}`
  const size = zeros.length * mebibyte
  await db.insertInto('content').values({ hash, encoding: 'zstd', size, bytes }).execute()
  const before = process.resourceUsage().maxRSS
  await expect(getContent(db, hash)).rejects.toThrow(`Content ${hash} was changed in the database`)
  expect(process.resourceUsage().maxRSS - before).toBeLessThan((600 * mebibyte) / 1024)
})

test('bytes that compress well are read as they were stored', async () => {
  const bytes = Buffer.alloc(20 * mebibyte, 'abc')
  expect((await getContent(db, await putContent(db, bytes))).equals(bytes)).toBe(true)
})
