import { expect, test } from 'vitest'
import { limits } from '#domain/limits.ts'
import { cappedResult } from './capped-result.ts'

test('a result within the limit is kept unchanged', () => {
  const result = { type: 'output', output: { a: 1 }, text: 'short' } as const
  expect(cappedResult(result)).toEqual(result)
})

test('a longer text ends with the exact number of bytes left out, never inside a character', () => {
  const text = 'é'.repeat(limits.shownToModelBytes)
  const capped = cappedResult({ type: 'output', text }).text
  const [kept = '', note = ''] = capped.split('\n')
  expect(kept).toBe('é'.repeat(limits.shownToModelBytes / 2))
  expect(note).toBe(
    `[${limits.shownToModelBytes} of ${limits.shownToModelBytes * 2} bytes are not shown.]`,
  )
})

// Rules: security.md 27
test('a text of replacement characters keeps each of them, in no time', () => {
  const run = '\uFFFD'.repeat(limits.shownToModelBytes / 3 - 2)
  const begun = process.threadCpuUsage()
  const capped = cappedResult({ type: 'output', text: `${run}a${run}` }).text
  // Of the processor: a busy machine lets the process wait.
  expect(process.threadCpuUsage(begun).user).toBeLessThan(150_000)
  expect(capped.startsWith(`${run}a\uFFFD\uFFFD\n[`)).toBe(true)
})

test('a larger output is described, with its size, instead of being cut', () => {
  const output = 'x'.repeat(limits.storedOutputBytes)
  expect(cappedResult({ type: 'output', output, text: '' }).output).toEqual({
    omitted: `The output had ${output.length + 2} bytes; at most ${limits.storedOutputBytes} are stored.`,
    bytes: output.length + 2,
  })
})
