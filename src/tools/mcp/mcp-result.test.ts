import { expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import type { Json } from '#domain/json/json.ts'
import { mcpResult } from './mcp-result.ts'

function resultOf(output: Json) {
  const sent = { durationMs: 1, error: null }
  return mcpResult('files', 'read', { type: 'output', output, text: 'words', sent })
}

test('the bytes of an answer are taken out, and replaced by their size and hash', () => {
  const data = Buffer.from('bytes').toString('base64')
  const lie = { type: 'image', mediaType: 'image/png', bytes: 9, hash: 'sha256:0', data }
  const { output, files, text } = resultOf({
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
  expect(text).toBe('words')
})

test.each([null, 'text', 7, [], {}, { content: 'none' }, { omitted: 'too large', bytes: 1 }])(
  'an answer without parts stays as it is: %j',
  (output) => {
    expect(resultOf(output)).toEqual({ type: 'output', output, text: 'words' })
  },
)
