/**
 * A number of things in words: `1 call`, `2 calls`. `noun`: in the singular, with a plural in `s`.
 * Pure.
 */
export function countWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
