/** Evidence that cannot be read: the message says what was expected and what was found. */
export class MalformedEvidence extends Error {
  override readonly name = 'MalformedEvidence'
}
