/**
 * A tool was stopped, and had done what it must not, which was undone. The message is a sentence
 * that names it.
 */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
}
