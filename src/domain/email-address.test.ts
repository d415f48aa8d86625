import { expect, test } from 'vitest'
import { readEmailAddress } from './email-address.ts'

// Rules: security.md 38
test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['jürgen@example.com', 'jürgen@example.com'],
  ['o+tag@münchen.example', 'o+tag@münchen.example'],
])('%s is the address %s', (text, address) => {
  expect(readEmailAddress(text)).toBe(address)
})

test.each([
  ['a letter that lower case turns into another one', '\u{212A}ate@example.com'],
  ['a full-width letter', '\u{FF41}da@example.com'],
  ['a zero-width space', 'ada@example.com\u{200B}'],
  ['a zero-width joiner within', 'a\u{200D}da@example.com'],
  ['a variation selector', 'ada\u{FE0F}@example.com'],
  ['a Hangul filler', 'ada\u{3164}@example.com'],
  ['a mark that reverses the text', '\u{202E}ada@example.com'],
  ['a letter and a mark that are one letter', 'ju\u{308}rgen@example.com'],
  ['a NUL', 'ada\0@example.com'],
  ['half a surrogate pair', 'ada\u{D800}@example.com'],
  ['two at signs', 'ada@example.com@example.org'],
  ['a space', 'ada @example.com'],
  ['a comma', 'ada@example.com,eve@example.org'],
  ['nothing', ''],
])('%s is no address of a person', (_what, text) => {
  expect(readEmailAddress(text)).toBeNull()
})
