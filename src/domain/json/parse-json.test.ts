import { expect, test } from 'vitest'
import { parseJson, parseObject } from './parse-json.ts'

test.each(['', 'no JSON', '{"a":1', "{'a':1}", 'undefined', '\u0000'])(
  '%j is no JSON, and nothing is thrown',
  (text) => {
    expect(parseJson(text)).toBeUndefined()
    expect(parseObject(text)).toBeNull()
  },
)

test.each(['null', '0', 'false', '"text"', '[{"a":1}]'])('%s is JSON, and no object', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text))
  expect(parseObject(text)).toBeNull()
})

test('an object is read whole', () => {
  const text = ' {"a":{"b":[1,null]},"":""}\n'
  expect(parseJson(text)).toEqual({ a: { b: [1, null] }, '': '' })
  expect(parseObject(text)).toEqual({ a: { b: [1, null] }, '': '' })
})
