import { errorCode } from './error-code.ts'

/** A thread answers with the message alone; Node has the other words for one that cannot start. */
const tooMany = /^(?:Worker initialization failure: )?E[MN]FILE\b/

/**
 * Whether an error says that the process, or the host, has too many files open: nothing is wrong
 * with the file that was to be read.
 */
export function areTooManyFilesOpen(error: unknown): boolean {
  const code = errorCode(error)
  if (code === 'EMFILE' || code === 'ENFILE') return true
  return error instanceof Error && tooMany.test(error.message)
}
