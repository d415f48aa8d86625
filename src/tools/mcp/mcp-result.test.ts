import { expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { takeFiles } from './mcp-result.ts'

test('the bytes of an answer are taken out, and replaced by their size and hash', () => {
  const data = Buffer.from('bytes').toString('base64')
  const lie = { type: 'image', mediaType: 'image/png', bytes: 9, hash: 'sha256:0', data }
  const { output, files, leftOut } = takeFiles({
    content: [{ type: 'text', text: 'x' }, lie],
    structuredContent: { a: 1 },
  })
  const hash = hashBytes(Buffer.from('bytes'))
  expect(output).toEqual({
    content: [
      { type: 'text', text: 'x' },
      { type: 'image', mediaType: 'image/png', bytes: 5, hash },
    ],
    structuredContent: { a: 1 },
  })
  expect(files).toEqual([{ mediaType: 'image/png', bytes: Buffer.from('bytes') }])
  expect(leftOut).toBe(0)
})

test.each([null, 'text', 7, [], {}, { content: 'none' }, { omitted: 'too large', bytes: 1 }])(
  'an answer without parts stays as it is: %j',
  (output) => {
    expect(takeFiles(output)).toEqual({ output, files: [], leftOut: 0 })
  },
)
