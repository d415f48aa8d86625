/** A refusal of the workspace with a stable code and a sentence for the model. */
export type WorkspaceProblemCode =
  | 'invalid_name'
  | 'not_found'
  | 'not_a_file'
  | 'not_a_directory'
  | 'is_a_link'
  | 'case_clash'
  | 'too_large'
  | 'stale'
  | 'hidden'
  | 'io'

/** A refusal of a path or operation: a stable `code`, and a sentence for the model. */
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

/** A path of the workspace at the beginning of a sentence. */
export function pathLabel(path: string): string {
  return path === '' ? 'The workspace root' : JSON.stringify(path)
}
