import { expect, test } from 'vitest'
import { answerOf, answerWithout, withoutNulls } from './answer-of.ts'

const at = new Date('2026-03-02T09:30:00.000Z')

test('instants become text at any depth, and everything else stays what it was', () => {
  const record = { at, none: null, list: [{ at, count: 1 }], input: JSON.parse('{"__proto__": 1}') }
  expect(JSON.stringify(answerOf(record))).toBe(JSON.stringify(record))
  expect(answerOf(record).list).toEqual([{ at: at.toISOString(), count: 1 }])
})

test('members that an answer does not have are taken off, and null where it is optional', () => {
  expect(answerWithout({ id: 'a', secret: 'b' }, 'secret')).toEqual({ id: 'a' })
  expect(withoutNulls({ id: 'a', end: null })).toEqual({ id: 'a' })
})
