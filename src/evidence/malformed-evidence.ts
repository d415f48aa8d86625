/** Evidence that cannot be read: the message says what was expected and what was found. */
export class MalformedEvidence extends Error {
  override readonly name = 'MalformedEvidence'
}

/** What is wrong with evidence that cannot be read, or is no JSON; throws other errors again. */
export function sentenceOf(error: unknown): string {
  if (error instanceof MalformedEvidence || error instanceof SyntaxError) return error.message
  throw error
}
