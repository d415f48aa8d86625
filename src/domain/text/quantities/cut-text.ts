/**
 * A text of at most `maxCharacters` characters, or its beginning, a mark, and the number of
 * characters that are left out. A character is a code point. Pure.
 *
 * @example cutText('abcdef', 4) → 'abc… (3 more characters)'
 */
export function cutText(text: string, maxCharacters: number): string {
  const begin = Array.from(text.slice(0, 2 * maxCharacters + 2))
  if (begin.length <= maxCharacters) return text.toWellFormed()
  const first = begin.slice(0, maxCharacters - 1).join('')
  const rest = text.slice(first.length).replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ' ').length
  return `${first.toWellFormed()}… (${rest.toLocaleString('en')} more characters)`
}
