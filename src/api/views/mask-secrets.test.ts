import { expect, test } from 'vitest'
import { hashBytes } from '../../domain/digest.ts'
import { maskSecrets } from './mask-secrets.ts'

test('a secret is replaced by what it is, its length and its hash; the rest stays', () => {
  const key = 'AKIAIOSFODNN7EXAMPLE'
  const masked = `[AWS access key, 20 characters, ${hashBytes(key).slice(0, 19)}…]`
  expect(maskSecrets(`Write ${key} and ${key} to a.txt`)).toBe(
    `Write ${masked} and ${masked} to a.txt`,
  )
})

test('a text without secrets is left as it is', () => {
  for (const text of ['', 'Edit notes/1.2.md (+4 −1)', '😀 \u202e'])
    expect(maskSecrets(text)).toBe(text)
})
