import { expect, test } from 'vitest'
import { errorCode } from './error-code.ts'

test('the code of an error is the text that the system or Postgres gave it', () => {
  expect(errorCode(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBe('ENOENT')
  expect(errorCode(Object.assign(new TypeError('x'), { code: '40001' }))).toBe('40001')
})

test.each([
  ['an error without a code', new Error('x')],
  ['an error whose code is a number', Object.assign(new Error('x'), { code: 23 })],
  ['an object that is no error', { code: 'ENOENT' }],
  ['a text', 'ENOENT'],
  ['null', null],
  ['undefined', undefined],
])('%s has no code', (_, error) => {
  expect(errorCode(error)).toBeNull()
})
