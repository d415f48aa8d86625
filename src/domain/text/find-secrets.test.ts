import { expect, test } from 'vitest'
import { findSecrets } from './find-secrets.ts'

const found = (text: string) => findSecrets(text).map((span) => text.slice(span.start, span.end))

test.each([
  ['deploy with AKIAIOSFODNN7EXAMPLE now', 'AKIAIOSFODNN7EXAMPLE'],
  [`push as ghp_${'a1'.repeat(18)}.`, `ghp_${'a1'.repeat(18)}`],
  [`key cs_${'0'.repeat(16)}_${'x'.repeat(43)}`, `cs_${'0'.repeat(16)}_${'x'.repeat(43)}`],
  [`use sk-${'proj'.repeat(10)}`, `sk-${'proj'.repeat(10)}`],
  ['postgres://app:hunter2@db/x', 'hunter2'],
  ['{"password": "correct horse"}', undefined],
  ['{"password": "correct-horse"}', 'correct-horse'],
  ['API_KEY=0123456789abcdef', '0123456789abcdef'],
])('%s', (text, secret) => {
  expect(found(text)).toEqual(secret === undefined ? [] : [secret])
})

test('a private key is one secret, whatever is in it', () => {
  const key = '-----BEGIN PRIVATE KEY-----\npassword=abcdefgh\n-----END PRIVATE KEY-----'
  expect(found(`before ${key} after`)).toEqual([key])
})

test('ordinary sentences have none', () => {
  expect(found('Edit notes/1.2.md (+4 −1): the token parser, see https://example.com/a:b')).toEqual(
    [],
  )
})

test('hostile text costs no more than its length', () => {
  const started = performance.now()
  for (const text of ['-----BEGIN PRIVATE KEY-----', 'eyJ', 'password=', 'a://b:', 'cs_']) {
    findSecrets(text.repeat(2000))
  }
  expect(performance.now() - started).toBeLessThan(30_000)
})
