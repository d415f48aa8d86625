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

test.each(nested)('100 levels of %s are parsed, and 101 are not', (_what, text) => {
  expect(parseYaml(text(100), new LineCounter())).toMatchObject({ errors: [] })
  expect(parseYaml(text(101), new LineCounter())).toEqual({ tooDeepLine: expect.any(Number) })
})
