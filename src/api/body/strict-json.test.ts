import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unclearNumberIn } from '#domain/json/number-literal.ts'
import { JsonProblem, parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text, 'utf8'))

test('everything that JSON.stringify writes is read back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('__proto__') && unclearNumberIn(value) === null)
      expect(parse(text)).toEqual(JSON.parse(text))
    }),
    { numRuns: 40 },
  )
})

test.each([
  ['a key twice', '{"a":1,"a":2}'],
  ['a key twice, one of them escaped', '{"decision":"deny","d\\u0065cision":"approve"}'],
  ['a key twice, deep inside', '{"x":[{"y":{"a":1,"b":[],"a":null}}]}'],
  ['a key twice, with braces in a text between', '{"a":"}{\\"","b":{"a":0},"a":1}'],
  ['a prototype', '{"__proto__":{"admin":true}}'],
  ['a prototype, escaped', '{"__prot\\u006f__":1}'],
  ['half a surrogate pair', '{"a":"\\ud800"}'],
  ['half a surrogate pair in a key', '{"\\udc00":1}'],
  ['a number that is read as an infinity', '{"a":[1,-1e400]}'],
  ['a number beyond 2^53', '{"a":9007199254740993}'],
  ['50,001 keys and values', `[${'1,'.repeat(49_999)}1]`],
  ['101 levels', `${'['.repeat(101)}${']'.repeat(101)}`],
  ['a hundred thousand levels', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['no JSON', '{a:1}'],
  ['two values', '{} {}'],
  ['a byte order mark', '\uFEFF{}'],
  ['a comma too many', '[1,]'],
])('%s is refused', (_what, text) => {
  expect(() => parse(text)).toThrow(JsonProblem)
})

test('bytes that are not UTF-8 are refused', () => {
  expect(() => parseStrictJson(Uint8Array.from([0x22, 0xff, 0x22]))).toThrow(JsonProblem)
})

test('the same key in different objects, and 100 levels, are read', () => {
  expect(parse('[{"a":1},{"a":{"a":[{"a":2}]}}]')).toEqual([{ a: 1 }, { a: { a: [{ a: 2 }] } }])
  expect(() => parse('['.repeat(100) + ']'.repeat(100))).not.toThrow()
})

test('eight megabytes of text are read', () => {
  const text = 'x\\n"'.repeat(2_000_000)
  expect(parse(JSON.stringify({ text }))).toEqual({ text })
})

// Rules: security.md 37
test('50,000 keys and values are read, whatever characters their texts have', () => {
  const texts = Array.from({ length: 49_999 }, () => '[{"1,\\')
  expect(parse(JSON.stringify(texts))).toEqual(texts)
})

test.each([
  ['600,000 keys', `{${Array.from({ length: 600_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
  ['eight million brackets', '['.repeat(8_000_000)],
  ['eight million quotes', '"'.repeat(8_000_000)],
  ['a text of eight million backslashes', `"${'\\'.repeat(8_000_000)}`],
])('%s are refused in a moment', (_what, text) => {
  const bytes = Buffer.from(text)
  const before = process.threadCpuUsage()
  expect(() => parseStrictJson(bytes)).toThrow(JsonProblem)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(1000)
})
