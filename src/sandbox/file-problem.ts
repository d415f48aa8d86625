import { errorCode } from '#domain/error-code.ts'
import { valueIn } from '#domain/json/value-in.ts'
import {
  pathLabel,
  WorkspaceProblem,
  type WorkspaceProblemCode,
} from '#domain/tools/workspace-problem.ts'

const sentences: Record<string, readonly [WorkspaceProblemCode, string]> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_a_directory', 'is not a folder'],
  EISDIR: ['not_a_file', 'is a folder'],
  ELOOP: ['is_a_link', 'is a symbolic link; links are not followed'],
  EEXIST: ['stale', 'already exists'],
  ENXIO: ['not_a_file', 'is not a regular file'],
  ENODEV: ['not_a_file', 'is not a regular file'],
  ENAMETOOLONG: ['invalid_name', 'has a name that is too long for this file system'],
  EACCES: ['io', 'cannot be opened: the operating system denies it'],
  EPERM: ['io', 'cannot be changed: the operating system denies it'],
  EROFS: ['io', 'is on a read-only file system'],
  ENOSPC: ['io', 'cannot be written: the disk is full'],
  EDQUOT: ['io', 'cannot be written: the disk quota is used up'],
  EXDEV: ['io', 'cannot be moved there: it is on another file system'],
}

/** A system error as a refusal for the model; other errors are returned unchanged. */
export function asWorkspaceProblem(error: unknown, path: string): unknown {
  const code = errorCode(error)
  if (error instanceof WorkspaceProblem || code === null) return error
  const explanation = valueIn(sentences, code)
  const [problem, sentence] = explanation ?? (['io', `cannot be used (${code})`] as const)
  return new WorkspaceProblem(problem, path, `${pathLabel(path)} ${sentence}.`, { cause: error })
}
