/** Evidence that cannot be read: the message says what was expected and what was found. */
export class MalformedEvidence extends Error {
  override readonly name = 'MalformedEvidence'
}

/** What is wrong with the evidence; throws every other error again. */
export function sentenceOf(error: unknown): string {
  if (error instanceof MalformedEvidence) return error.message
  throw error
}
