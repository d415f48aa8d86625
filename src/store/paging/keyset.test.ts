import { expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from './keyset.ts'

const id = '019f0000-0000-7000-8000-000000000001'
const at = '2026-02-28 23:59:59.123456+00'
const kinds = ['number', 'instant', 'id'] as const

test('a cursor carries its keys unchanged, microseconds included', () => {
  const keys = ['3', at, id]
  expect(decodeCursor(encodeCursor('risk', keys), 'risk', kinds)).toEqual(keys)
})

test('a cursor of another order, or with other keys, is invalid', () => {
  const cursor = encodeCursor('risk', ['3', at, id])
  expect(decodeCursor(cursor, 'createdAt', kinds)).toBeNull()
  expect(decodeCursor(cursor, 'risk', ['instant', 'id'])).toBeNull()
  expect(decodeCursor(cursor, 'risk', ['instant', 'number', 'id'])).toBeNull()
})

test.each([
  ['2026-02-30 00:00:00+00', id],
  ['2026-13-01 00:00:00+00', id],
  ['2026-01-01 24:00:00+00', id],
  ['0000-01-01 00:00:00+00', id],
  ['now', id],
  ['infinity', id],
  [at, 'x'],
  [at, `${id}'`],
])('a made-up cursor that the database could not read is invalid: %s %s', (instant, key) => {
  expect(decodeCursor(encodeCursor('o', [instant, key]), 'o', ['instant', 'id'])).toBeNull()
})

test.each(['', 'x', '!!!', 'bnVsbA', 'W10', 'eyJhIjoxfQ', 'WyJvIiwxLDJd'])(
  'text that is no cursor is invalid: %s',
  (text) => {
    expect(decodeCursor(text, 'o', ['instant', 'id'])).toBeNull()
  },
)
