import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lookAlikes } from './look-alikes.ts'

const marks = (text: string): string =>
  lookAlikes(text)
    .map(({ character, look }) => `${character}${look ?? '?'}`)
    .join(' ')

// Rules: security.md 17
describe('characters that look like another one are reported', () => {
  it.each([
    ['a Greek question mark', 'ls\u037e id', '\u037e;'],
    ['a division slash', 'rm a\u2215b', '\u2215/'],
    ['a fraction slash', 'rm a\u2044b', '\u2044/'],
    ['a minus sign', 'kill \u22129', '\u2212-'],
    ['a dash in front of an option', 'rm \u2013rf x', '\u2013-'],
    ['a hyphen of another kind', 'git\u2010push', '\u2010-'],
    ['a small roman numeral', '\u217cs', '\u217cl'],
    ['a one-dot leader', 'a\u2024sh', '\u2024.'],
    ['a ratio', 'a\u2236b', '\u2236:'],
    ['a modifier colon', 'C\ua789', '\ua789:'],
    ['a full-width letter', 'ｒm', 'ｒr'],
    ['a full-width semicolon', 'ls；id', '；;'],
    ['a mathematical letter', '\u{1d42b}m', '\u{1d42b}r'],
    ['a ligature', '\ufb01le', '\ufb01fi'],
    ['a Cyrillic letter among Latin ones', 'pаypal', 'аa'],
    ['a Greek letter among Latin ones', 'gοοgle', 'οo οo'],
    ['a Cherokee letter among Latin ones', 'Ꭺdmin', 'ᎪA'],
    ['an Armenian letter among Latin ones', 'օpen', 'օo'],
    ['a word that is Cyrillic as a whole', 'сора', 'сc оo рp аa'],
    ['a word of Lisu letters', 'ꓡꓲꓢ', 'ꓡL ꓲl ꓢS'],
    ['a Latin letter of phonetics', 'ɡit', 'ɡg'],
    ['a dotless i outside of Turkish', 'gıt', 'ıi'],
    ['a host in another script', 'https://аррӏе.com/x', 'аa рp рp ӏi еe'],
    ['a host in a script without look-alikes', 'https://例.jp/', '例?'],
    ['the host of an address', 'x@exаmple.com', 'аa'],
    ['a host behind credentials', 'https://u:p@gіthub.com', 'іi'],
    ['stacked marks', 'a\u0300\u0301\u0302', '\u0302?'],
    ['a mark on a digit', '1\u0338', '\u0338?'],
    ['an enclosing mark', 'a\u20dd', '\u20dd?'],
    ['a Latin letter in a Greek word', 'Ελλaδα', 'Ε E λ? λ? δ? αa'.replace('Ε E', 'ΕE')],
    ['a click letter', 'echoǃ', 'ǃ!'],
    ['a prime', 'awk \u02b9x', "\u02b9'"],
  ])('%s', (_, text, expected) => {
    expect(marks(text)).toBe(expected)
  })

  it.each([
    'äöüßéèêëàâçñåøæœłżźćńśąęčšžýáíóúůřďťňőűășțğışģķļņ',
    'Grüße, мир, κόσμε, 日本語, 🙂 Ελλάδα שלום مرحبا हिन्दी में ภาษาไทย Việt Nam tiếng',
    'роса упала на траву, но сора нет',
    'a “quote” – dash — it’s … 2 × 3 • «x»',
    'Edit notes/1.2.md (+4 −1)',
    'Delete notes/1.2.md (−1)',
    'Tシャツ ノート α = 0.05, 10 °C, x², 5 µs',
    'kapı açık ve ışık',
    'plain ASCII; rm -rf /',
  ])('words of a language and marks of writing are left alone: %s', (text) => {
    expect(marks(text)).toBe('')
  })

  it('the result is in order, within the text, and the same line by line', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('а', 'a', '://', '@', '\n', '−'),
    )
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const text = parts.join('')
        let last = -1
        for (const { start, character } of lookAlikes(text)) {
          expect(start).toBeGreaterThan(last)
          expect(text.startsWith(character, start)).toBe(true)
          last = start
        }
      }),
    )
  })
})
