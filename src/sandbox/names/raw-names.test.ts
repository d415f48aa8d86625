import { expect, test } from 'vitest'
import { bytesOfName, quotedName, textOfName } from './raw-names.ts'

// Rules: security.md 8
test.each([
  ['plain', Buffer.from('a.txt'), '"a.txt"'],
  ['not ASCII', Buffer.from('ü — 漢.txt'), '"ü — 漢.txt"'],
  ['no text', Buffer.from([0x61, 0xff, 0xc3]), '"a\\xff\\xc3"'],
  ['a control character', Buffer.from('a\nb'), '"a\\nb"'],
])('a name that is %s leads back to its file and can be shown', (_, bytes, quoted) => {
  const text = textOfName(bytes)
  expect(bytesOfName(`folder/${text}`)).toEqual(Buffer.concat([Buffer.from('folder/'), bytes]))
  expect(quotedName(text)).toBe(quoted)
  expect(quoted.isWellFormed()).toBe(true)
})
