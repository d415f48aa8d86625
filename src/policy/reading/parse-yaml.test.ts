import { LineCounter } from 'yaml'
import { expect, test } from 'vitest'
import { parseYaml } from './parse-yaml.ts'

/** A line for each key, each deeper than the one before, and a value inside of the last. */
function lines(keys: number, key: string, value = '1'): string {
  const texts = [...Array.from({ length: keys }, () => key), value]
  return texts.map((text, at) => `${' '.repeat(2 * at)}${text}\n`).join('')
}

const nested: readonly (readonly [what: string, text: (depth: number) => string])[] = [
  ['flow lists', (depth) => `${'['.repeat(depth)}1${']'.repeat(depth)}`],
  ['flow mappings', (depth) => `${'{ a: '.repeat(depth)}1${' }'.repeat(depth)}`],
  ['block lists in one line', (depth) => `${'- '.repeat(depth)}1`],
  ['block lists in many lines', (depth) => lines(depth, '-')],
  ['block mappings', (depth) => lines(depth, 'a:')],
  [
    'mappings in lists',
    (depth) => lines(Math.floor(depth / 2), '- a:', depth % 2 === 0 ? ' 1' : ' - 1'),
  ],
]

test.each([
  ['ends of lists that have not begun', ']'],
  ['commas', '[,'],
  ['pairs', '[:,'],
  ['tags', '[!x a,'],
])('600,000 parts are parsed, and more are not: %s', (_what, part) => {
  const [first = '', ...rest] = part
  const text = (times: number): string => `a: ${first}${(rest.join('') || first).repeat(times)}`
  expect(parseYaml(text(100), new LineCounter())).toHaveProperty('errors')
  const refusal = { tooMuch: 'parts', line: 1 }
  expect(parseYaml(text(600_000), new LineCounter())).toEqual(refusal)
})

test('errors of programs have their stacks after a text with mistakes', () => {
  parseYaml(']]]', new LineCounter())
  expect(new Error('after').stack).toContain('parse-yaml.test')
})

test.each(nested)('100 levels of %s are parsed, and 101 are not', (_what, text) => {
  expect(parseYaml(text(100), new LineCounter())).toMatchObject({ errors: [] })
  expect(parseYaml(text(101), new LineCounter())).toEqual({
    tooMuch: 'levels',
    line: expect.any(Number),
  })
})
