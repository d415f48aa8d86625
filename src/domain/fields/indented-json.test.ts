import { expect, test } from 'vitest'
import { indentedJson } from './indented-json.ts'

const value = { 'a b': ['x  "y" \\', 1.5], c: { d: null } }

test.each([
  JSON.stringify(value),
  JSON.stringify(value, null, 2),
  `\n${JSON.stringify(value, null, '\t')} \n`,
  '{ "a b": ["x  \\"y\\" \\\\", 1.5], "c": {"d": null} }',
])('the white space between the parts of a JSON text does not matter: %j', (text) => {
  expect(indentedJson(text)).toBe(JSON.stringify(value, null, 2))
})

test.each(['no JSON', '', '{"a": 1, "a": 2}', '{"a": 1.50}', '{"a": 12345678901234567890}'])(
  'a text that would be written back with other signs has no indented form: %j',
  (text) => {
    expect(indentedJson(text)).toBeNull()
  },
)
