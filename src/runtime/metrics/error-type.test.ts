import { expect, test } from 'vitest'
import { Problem } from '#domain/problem.ts'
import { errorTypeOf } from './error-type.ts'

const named = (name: string): Error => Object.assign(new Error('secret'), { name })

// Rules: security.md 25
test.each([
  [new Problem('not_found', 'secret'), 'not_found'],
  [Object.assign(new Error('secret'), { statusCode: 429 }), '429'],
  [new Error('secret', { cause: Object.assign(new Error('x'), { statusCode: 503 }) }), '503'],
  [new Error('secret', { cause: new TypeError('secret') }), 'TypeError'],
  [new DOMException('secret', 'TimeoutError'), 'TimeoutError'],
  [named('secret of somebody'), '_OTHER'],
  [named('A'.repeat(61)), '_OTHER'],
  ['secret', '_OTHER'],
  [undefined, '_OTHER'],
])('%s has the type %s, and no word of its message', (error, type) => {
  expect(errorTypeOf(error)).toBe(type)
})
