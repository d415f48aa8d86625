import { expect, test } from 'vitest'
import { answerOf, answerWithout, withoutNulls } from './answer-of.ts'

const at = new Date('2026-03-02T09:30:00.000Z')

test('instants become text at any depth, and every other value stays as it is', () => {
  const record = { at, none: null, list: [{ at, count: 1 }], input: JSON.parse('{"__proto__": 1}') }
  expect(JSON.stringify(answerOf(record))).toBe(JSON.stringify(record))
  expect(answerOf(record).list).toEqual([{ at: at.toISOString(), count: 1 }])
})

test('members that the answer does not have are left out, and so is null where the member is optional', () => {
  expect(answerWithout({ id: 'a', secret: 'b' }, 'secret')).toEqual({ id: 'a' })
  expect(withoutNulls({ id: 'a', end: null })).toEqual({ id: 'a' })
})
