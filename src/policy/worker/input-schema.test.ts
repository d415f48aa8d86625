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
  return wrong === null ? 'fits' : wrong.sentence
}

test.each<[Json, string | RegExp]>([
  [{ version: '1.2' }, 'fits'],
  [{ version: '1.2', kind: 'fix', parts: [{ name: 'a' }] }, 'fits'],
  [{}, '“Version” (input.version) is missing'],
  [{ version: '1.2', more: 1 }, 'input.more is not known'],
  [{ version: '1.2', kind: 'chore' }, 'input.kind must be one of "fix", "feature"'],
  [{ version: 12 }, '“Version” (input.version) must be a text'],
  [{ version: 'x' }, '“Version” (input.version) must match the pattern ^\\d+\\.\\d+$'],
  [{ version: '1.2', parts: [{ name: 1 }] }, 'input.parts.0.name must be a text'],
  [{ version: '1.2', parts: {} }, 'input.parts must be a list'],
  ['Write the notes', 'input must be an object'],
])(
  'an input that does not fit is refused with a sentence that names its field: %j',
  (input, expected) => {
    const problems = judged(schema, input)
    if (typeof expected === 'string') expect(problems).toBe(expected)
    else expect(problems).toMatch(expected)
  },
)

test.each<[string, Json, string]>([
  ['{ type: [integer, "null"], title: Age }', 'x', 'must be a whole number or null'],
  ['{ minimum: 3, title: Age }', 2, 'must be at least 3'],
  ['{ maximum: 3, title: Age }', 4, 'may be at most 3'],
  ['{ exclusiveMinimum: 3, title: Age }', 3, 'must be more than 3'],
  ['{ exclusiveMaximum: 3, title: Age }', 3, 'must be less than 3'],
  ['{ multipleOf: 2, title: Age }', 3, 'must be a multiple of 2'],
  ['{ const: 1, title: Age }', 2, 'must be 1'],
  ['{ minLength: 1, title: Age }', '', 'must have at least 1 character'],
  ['{ maxLength: 2, title: Age }', 'abc', 'may have at most 2 characters'],
  ['{ minItems: 1, title: Age }', [], 'must have at least 1 item'],
  ['{ maxItems: 1, title: Age }', [1, 2], 'may have at most 1 item'],
  ['{ uniqueItems: true, title: Age }', [1, 1], 'must not have the same item twice'],
  ['{ minProperties: 1, title: Age }', {}, 'must have at least 1 field'],
  ['{ maxProperties: 0, title: Age }', { b: 1 }, 'may have at most 0 fields'],
  ['{ not: {}, title: Age }', 1, 'does not have the form that the worker takes'],
])('what the validator says is never its own words: %s', (member, value, words) => {
  const front = `input: { type: object, properties: { a: ${member} } }`
  expect(judged(front, { a: value })).toBe(`“Age” (input.a) ${words}`)
})

// Rules: security.md 27
test('a pattern that would backtrack without end is matched in linear time', () => {
  const slow = 'input: { type: object, properties: { a: { type: string, pattern: "^(a+)+$" } } }'
  const begun = process.threadCpuUsage()
  expect(judged(slow, { a: `${'a'.repeat(50_000)}!` })).toMatch(/^input\.a must match/)
  // Of the processor: a busy machine lets the process wait.
  expect(process.threadCpuUsage(begun).user).toBeLessThan(2_000_000)
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
])('what is no schema that can be checked is an error of the worker file: %s', (front, problem) => {
  expect(() => projectWith(front)).toThrow(problem)
})

test('a schema has a bound', () => {
  const long = `input: { type: object, title: "${'x'.repeat(33_000)}" }`
  expect(() => projectWith(long)).toThrow(/is over 32 KiB/)
})
