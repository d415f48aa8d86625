import type { Json } from '#domain/json/json.ts'

/**
 * Why an input has no single canonical form or cannot be stored: a lone surrogate, or U+0000, which
 * Postgres cannot store in text. Empty: no problem.
 */
export function textProblems(input: Json): string[] {
  const problems: string[] = []
  visit(input, '', problems)
  return problems
}

function visit(value: Json, at: string, problems: string[]): void {
  if (typeof value === 'string') {
    const problem = ofText(value)
    if (problem !== null) problems.push(at === '' ? problem : `${at}: ${problem}`)
    return
  }
  if (value === null || typeof value !== 'object') return
  for (const [key, entry] of Object.entries(value)) {
    const problem = ofText(key)
    if (problem !== null)
      problems.push(`${at === '' ? 'input' : at}: in the name of a field: ${problem}`)
    visit(entry, at === '' ? key : `${at}.${key}`, problems)
  }
}

function ofText(text: string): string | null {
  if (!text.isWellFormed()) return 'The text is not well-formed Unicode (a lone surrogate).'
  if (text.includes('\0')) return 'The text contains U+0000; bytes are given as base64.'
  return null
}
