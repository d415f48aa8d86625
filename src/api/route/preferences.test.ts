import type { Request } from 'express'
import { expect, test } from 'vitest'
import { Problem } from '#domain/problem.ts'
import { idempotencyKeyOf, preferredWaitMs } from './preferences.ts'

function asking(headers: Record<string, string>): Request {
  return { get: (name: string) => headers[name.toLowerCase()] } as Request
}

test.each([
  ['wait=5', 5000],
  ['respond-async, wait=10', 10_000],
  ['wait=10; x, handling=lenient', 10_000],
  ['WAIT=1', 1000],
  ['wait=61', 60_000],
  ['wait=999999', 60_000],
  ['wait=0', 0],
  ['wait=-1', 0],
  ['wait=soon', 0],
  ['await=5', 0],
  ['', 0],
])('Prefer: %s waits %i ms', (prefer, ms) => {
  expect(preferredWaitMs(asking({ prefer }))).toBe(ms)
})

test('an Idempotency-Key is used as received, and refused when it is empty, too long or not printable', () => {
  expect(idempotencyKeyOf(asking({}))).toEqual({})
  expect(idempotencyKeyOf(asking({ 'idempotency-key': 'a b' }))).toEqual({ idempotencyKey: 'a b' })
  for (const key of ['', 'x'.repeat(201), 'a\u0000', 'ä']) {
    expect(() => idempotencyKeyOf(asking({ 'idempotency-key': key }))).toThrow(Problem)
  }
})
