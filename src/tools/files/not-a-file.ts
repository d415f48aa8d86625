import type { FileState } from '../../domain/tool.ts'
import { WorkspaceProblem } from '../../domain/workspace-problem.ts'

/** The refusal of a path that is no regular file. */
export function notAFileProblem(path: string, state: FileState): WorkspaceProblem {
  const quoted = JSON.stringify(path)
  switch (state.kind) {
    case 'absent':
      return new WorkspaceProblem('not_found', path, `${quoted} does not exist.`)
    case 'symlink':
      return new WorkspaceProblem(
        'is_a_link',
        path,
        `${quoted} is a symbolic link; links are not followed.`,
      )
    case 'directory':
      return new WorkspaceProblem('not_a_file', path, `${quoted} is a folder.`)
    default:
      return new WorkspaceProblem('not_a_file', path, `${quoted} is not a regular file.`)
  }
}
