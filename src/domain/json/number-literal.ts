/**
 * Why JSON parsers may disagree on a number literal, or `null`: it is beyond 2^53, where some
 * round, or has more digits than a double stores (security.md 34).
 */
export function whyUnclear(literal: string): string | null {
  const value = Number(literal)
  if (!Number.isFinite(value)) return 'is too large for a double'
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'is beyond 2^53: send it as text'
  if (decimalOf(literal) !== decimalOf(String(value))) {
    return 'has more digits than a double keeps: send it as text'
  }
  return null
}

/** The path of a number that parsers may read differently, such as `a.b[2]`; or `null`. */
export function unclearNumberIn(value: unknown, at = ''): string | null {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? at : null
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inside] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`
    const problem = unclearNumberIn(inside, path)
    if (problem !== null) return problem
  }
  return null
}

/** One text for all literals of a decimal value: its digits and the last one's exponent. */
function decimalOf(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = trimZeros(`${whole}${fraction}`)
  if (digits.text === '') return '0'
  return `${digits.text}e${Number(exponent) - fraction.length + digits.zerosBehind}`
}

function trimZeros(digits: string): { readonly text: string; readonly zerosBehind: number } {
  let begin = 0
  while (digits[begin] === '0') begin += 1
  let end = digits.length
  while (end > begin && digits[end - 1] === '0') end -= 1
  return { text: digits.slice(begin, end), zerosBehind: digits.length - end }
}
