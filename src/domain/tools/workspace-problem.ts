import type { WorkspaceProblemCode } from './tool.ts'

/**
 * A workspace refused a path or an operation: `code` is stable, the message is a sentence for the
 * model.
 */
export class WorkspaceProblem extends Error {
  override readonly name = 'WorkspaceProblem'
  readonly code: WorkspaceProblemCode
  readonly path: string

  constructor(code: WorkspaceProblemCode, path: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.path = path
  }
}
