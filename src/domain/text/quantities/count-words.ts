/** A number of things: `1 call`, `2 calls`. `noun`: the singular of a plural in `s`. Pure. */
export function countWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
