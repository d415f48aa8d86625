/**
 * A tool was stopped because it had a forbidden effect, which was undone. The message is a sentence
 * that names it.
 */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
}
