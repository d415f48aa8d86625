import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hiddenReason, visibleText } from './visible-text.ts'

const chips = (text: string) => visibleText(text).filter((segment) => segment.kind === 'chip')

// Rules: product.md 26; security.md 17
describe('visibleText', () => {
  it('leaves printable text, newlines and tabs unchanged, in every script', () => {
    for (const text of ['plain text\n\twith tab', 'Grüße, мир, κόσμε, 日本語, 🙂', '']) {
      expect(visibleText(text)).toEqual(text === '' ? [] : [{ kind: 'text', text }])
    }
  })

  it.each([
    ['\0', 'U+0000 NUL', 'control'],
    ['\x1b', 'U+001B ESC', 'control'],
    ['\r', 'U+000D CR', 'control'],
    ['\x7f', 'U+007F DELETE', 'control'],
    ['\x9b', 'U+009B', 'control'],
    ['\u202e', 'U+202E RIGHT-TO-LEFT OVERRIDE', 'bidirectional'],
    ['\u2066', 'U+2066 LEFT-TO-RIGHT ISOLATE', 'bidirectional'],
    ['\u061c', 'U+061C ARABIC LETTER MARK', 'bidirectional'],
    ['\u200b', 'U+200B ZERO WIDTH SPACE', 'invisible'],
    ['\u200d', 'U+200D ZERO WIDTH JOINER', 'invisible'],
    ['\u00ad', 'U+00AD SOFT HYPHEN', 'invisible'],
    ['\ufeff', 'U+FEFF BYTE ORDER MARK', 'invisible'],
    ['\u2800', 'U+2800 BRAILLE BLANK', 'invisible'],
    ['\u3164', 'U+3164 HANGUL FILLER', 'invisible'],
    ['\ufe0f', 'U+FE0F', 'invisible'],
    ['\u{e0041}', 'U+E0041', 'invisible'],
    ['\u2028', 'U+2028 LINE SEPARATOR', 'invisible'],
    ['\u00a0', 'U+00A0 NO-BREAK SPACE', 'space'],
    ['\u3000', 'U+3000', 'space'],
    ['\ue000', 'U+E000', 'private'],
    ['\u{f0001}', 'U+F0001', 'private'],
    ['\u0378', 'U+0378', 'private'],
    ['\ud800', 'U+D800', 'control'],
  ])('shows %j as a chip', (character, label, reason) => {
    expect(visibleText(`a${character}b`)).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'chip', text: character, label, reason },
      { kind: 'text', text: 'b' },
    ])
  })

  it('shows a look-alike letter in a word of mixed scripts, and only there', () => {
    expect(chips('pаypal Привет')).toEqual([
      { kind: 'chip', text: 'а', label: 'U+0430', reason: 'look-alike', look: 'a' },
    ])
  })

  it('neither loses nor adds characters, and returns no hidden one as text', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u202e', '\u200b', 'а', 'a', '\ud800', '\n', '\u{e0041}'),
    )
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const text = parts.join('')
        const segments = visibleText(text)
        expect(segments.map((segment) => segment.text).join('')).toBe(text)
        for (const segment of segments) {
          if (segment.kind === 'chip') continue
          expect([...segment.text].filter((one) => hiddenReason(one) !== null)).toEqual([])
        }
      }),
      { numRuns: 1000 },
    )
  })
})
