import type { CommandHost } from '../../domain/command.ts'
import { realPathOf } from '../real-path.ts'
import { findProgram } from './find-program.ts'
import type { FoundSandbox } from './find-sandbox.ts'

/**
 * This host, as policy asks it about commands. A program below the folder of the command is never found: what lies in a
 * workspace is not fixed by where it lies, so it is a person's to approve.
 */
export function commandHost(sandbox: FoundSandbox): CommandHost {
  return {
    sandboxProblem: sandbox.works ? null : sandbox.problem,
    executable: findProgram,
    realPath: realPathOf,
  }
}
