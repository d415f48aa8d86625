import '#runtime/processes/async-disposable-stack.ts'
import { CommanderError } from 'commander'
import { errorMessage } from '#domain/error-message.ts'
import { takeLifeline } from '#runtime/processes/lifeline.ts'
import { CommandFailure, exitCodes } from './terminal/exit-codes.ts'
import { fileSentence } from './terminal/file-sentence.ts'
import { watchOutput } from './terminal/standard-output.ts'
import { createProgram } from './program.ts'
import { withHelpOption } from './commands/usage-errors.ts'
import { printable } from './text/terminal-text.ts'

/**
 * Ends this process when its launcher, which holds the other end of the lifeline, ends for whatever
 * reason.
 */
function endWithLauncher(): void {
  void takeLifeline()?.closed.then(() => process.kill(process.pid, 'SIGTERM'))
}

async function main(): Promise<void> {
  endWithLauncher()
  watchOutput()
  try {
    const program = createProgram()
    await program.parseAsync(withHelpOption(program, process.argv.slice(2)), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage
      return
    }
    // A message of the service may quote text of an agent, which may have control characters.
    console.error(printable((await fileSentence(error)) ?? errorMessage(error)))
    process.exitCode = error instanceof CommandFailure ? error.exitCode : exitCodes.failed
  }
}

await main()
