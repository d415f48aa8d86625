import { expect, test } from 'vitest'
import { projectWith } from '#test/harness/fixtures/judging.ts'
import type { Json } from '#domain/json/json.ts'
import { inputProblem } from './input-schema.ts'

const schema = `input:
  type: object
  additionalProperties: false
  required: [version]
  properties:
    version: { type: string, title: Version, pattern: "^\\\\d+\\\\.\\\\d+$" }
    kind: { enum: [fix, feature] }
    parts: { type: array, items: { type: object, properties: { name: { type: string } } } }`

/** What is wrong with an input for the worker `scribe`, or `fits`. */
function judged(front: string, input: Json): string {
  const worker = projectWith(front).workers.get('scribe')
  if (worker?.input == null) throw new Error('scribe has a schema')
  const wrong = inputProblem(worker.input, input)
  return wrong === null ? 'fits' : `${wrong.field}: ${wrong.problem}`
}

test.each<[Json, string | RegExp]>([
  [{ version: '1.2' }, 'fits'],
  [{ version: '1.2', kind: 'fix', parts: [{ name: 'a' }] }, 'fits'],
  [{}, 'input.version: is missing'],
  [{ version: '1.2', more: 1 }, 'input.more: is not known'],
  [{ version: '1.2', kind: 'chore' }, 'input.kind: must be one of "fix", "feature"'],
  [{ version: 12 }, 'input.version: must be string'],
  [{ version: 'x' }, /^input\.version: must match pattern/],
  [{ version: '1.2', parts: [{ name: 1 }] }, 'input.parts.0.name: must be string'],
  ['Write the notes', 'input: must be object'],
])('an input that does not fit names its field: %j', (input, expected) => {
  const said = judged(schema, input)
  if (typeof expected === 'string') expect(said).toBe(expected)
  else expect(said).toMatch(expected)
})

// Rules: security.md 27
test('a pattern that would backtrack for years is matched in linear time', () => {
  const slow = 'input: { type: object, properties: { a: { type: string, pattern: "^(a+)+$" } } }'
  const begun = performance.now()
  expect(judged(slow, { a: `${'a'.repeat(50_000)}!` })).toMatch(/^input\.a: must match/)
  expect(performance.now() - begun).toBeLessThan(2000)
})

test.each([
  ['input: text', /is not a mapping/],
  ['input: { type: string }', /is not of `type: object`/],
  ['input: { type: object, properties: { a: { type: strin } } }', /is not a JSON Schema/],
  ['input: { type: object, propertys: {} }', /is not a JSON Schema: .*propertys/],
  [
    'input: { type: object, properties: { a: { type: string, pattern: "(?=a)" } } }',
    /is not a JSON Schema/,
  ],
  ['input: { type: object, $ref: "https://example.com/schema" }', /is not a JSON Schema/],
])('what is no schema that can be checked is an error of the worker file: %s', (front, said) => {
  expect(() => projectWith(front)).toThrow(said)
})

test('a schema has a bound', () => {
  const long = `input: { type: object, title: "${'x'.repeat(33_000)}" }`
  expect(() => projectWith(long)).toThrow(/is over 32 KiB/)
})
