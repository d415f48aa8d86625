/**
 * A tool made a change and cannot tell whether it stays. The message is a sentence, without its
 * full stop, for the people who are asked what became of the call.
 */
export class UncertainChange extends Error {
  override readonly name = 'UncertainChange'
}
