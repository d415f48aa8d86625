import { Problem } from '#domain/problem.ts'
import { limits } from '#domain/limits.ts'
import { isLongerThan } from '#domain/text/quantities/is-longer-than.ts'

/** `invalid_request` about one field; `message` continues a sentence that begins with its name. */
export function invalid(field: string, message: string): Problem {
  return new Problem('invalid_request', `${field} ${message}`, { field, message })
}

/** Throws for a reason that is too long; `null`: none was written. */
export function requireReasonFits(reason: string | null): void {
  const maxCharacters = limits.reasonCharacters
  if (reason === null || !isLongerThan(reason, maxCharacters)) return
  throw invalid('reason', `is over ${maxCharacters} characters`)
}

/** Throws for a person's words (a reason, a comment, an answer) that are empty or too long. */
export function requireWords(field: string, words: string): void {
  const maxCharacters = limits.reasonCharacters
  if (words.trim() !== '' && !isLongerThan(words, maxCharacters)) return
  throw invalid(field, `must have 1 to ${maxCharacters} characters`)
}
