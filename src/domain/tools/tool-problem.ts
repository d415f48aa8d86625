/** A call that is well-formed but cannot run as it is. The message is a sentence for the model. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem'
}
