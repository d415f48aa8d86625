/**
 * The first letters of the first and the last word of a name. Only letters and digits count, so
 * that no invisible character represents a person. Pure.
 */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const [first = '?'] = words
  const last = words.length > 1 ? (words.at(-1) ?? '') : ''
  return `${firstSign(first)}${firstSign(last)}`.toUpperCase()
}

function firstSign(word: string): string {
  return [...word][0] ?? ''
}
