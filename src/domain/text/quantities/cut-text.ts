/**
 * A text of at most `maxCharacters` characters, or its beginning, a mark, and the number of
 * characters that are left out. A character is a code point. Pure.
 *
 * @example cutText('abcdef', 4) → 'abc… (3 more characters)'
 */
export function cutText(text: string, maxCharacters: number): string {
  const { beginning, rest } = beginningOf(text, maxCharacters)
  return rest === 0 ? beginning : `${beginning} (${rest.toLocaleString('en')} more characters)`
}

/**
 * The beginning as in `cutText`, with its mark, and how many characters are left out: 0 if none.
 * Pure.
 */
export function beginningOf(
  text: string,
  maxCharacters: number,
): { readonly beginning: string; readonly rest: number } {
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 2))
  if (characters.length <= maxCharacters) return { beginning: text.toWellFormed(), rest: 0 }
  const first = characters.slice(0, maxCharacters - 1).join('')
  const rest = text.slice(first.length).replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ' ').length
  return { beginning: `${first.toWellFormed()}…`, rest }
}
