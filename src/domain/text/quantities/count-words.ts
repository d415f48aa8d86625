/** A number of things: `1 call`, `5,000 calls`. `noun`: the singular of a plural in `s`. Pure. */
export function countWords(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

/** Lines whose change is in white space alone: `1 line that changes in white space alone`. Pure. */
export function whiteSpaceWords(lines: number): string {
  return `${countWords(lines, 'line')} that ${lines === 1 ? 'changes' : 'change'} in white space alone`
}
