/** A text whose first letter is a capital. */
export function withCapital(text: string): string {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length)
}

/** A name as people read it: `releaseDate` and `release_date` as `Release date`. */
export function readableName(name: string): string {
  const words = name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_\s-]+/g, ' ')
    .trim()
  return withCapital(words.toLowerCase())
}
