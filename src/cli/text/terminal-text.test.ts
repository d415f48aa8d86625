import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, printableLine } from './terminal-text.ts'

const dangerous =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

test('no character that moves the cursor, hides text or reverses its direction is printed, whatever the text', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[2J', '\u202e', '\r', 'a'),
  )
  fc.assert(
    fc.property(fc.array(unit), (parts) => {
      expect(printable(parts.join(''))).not.toMatch(dangerous)
      expect(printableLine(parts.join(''))).not.toMatch(/[\n\t]/)
    }),
  )
})

test('hidden characters are named, and so are letters that look like others', () => {
  expect(printable('a\u001b[31mb')).toBe('a⟦U+001B ESC⟧[31mb')
  expect(printable('p\u0430y')).toBe('p⟦\u0430 U+0430⟧y')
  expect(printableLine('a\nb\tc')).toBe('a⏎b⇥c')
})

test('blanks that an eye would miss are shown', () => {
  expect(printable('end  \nnext')).toBe('end··\nnext')
  expect(printable(`ok${' '.repeat(90)}rm`)).toBe('ok⟦90 spaces⟧rm')
  expect(printable(`x\t${' '.repeat(60)}y`)).toBe('x⟦61 blanks with tabs⟧y')
})

test('a mark of ours in the text is itself marked, so that none is forged', () => {
  expect(printable('⟦U+001B ESC⟧')).toBe('⟦U+27E6⟧U+001B ESC⟦U+27E7⟧')
})

test('plain text of any language stays as it is', () => {
  for (const text of ['héllo wörld', '日本語のテキスト', 'Привет', 'if (a < b) {\n\treturn 1\n}']) {
    expect(printable(text)).toBe(text)
  }
})
