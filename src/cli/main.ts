import '#runtime/processes/async-disposable-stack.ts'
import { CommanderError } from 'commander'
import { takeLifeline } from '#runtime/processes/lifeline.ts'
import { CommandFailure, exitCodes } from './terminal/exit-codes.ts'
import { createProgram } from './program.ts'
import { printable } from './text/terminal-text.ts'

/** Whoever started us through a lifeline takes us along when it ends, however it ends. */
function endWithLauncher(): void {
  void takeLifeline()?.closed.then(() => process.kill(process.pid, 'SIGTERM'))
}

/** Whoever reads our output may stop reading (`… | head`): that is no failure of ours. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
}

async function main(): Promise<void> {
  endWithLauncher()
  endWithReader()
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage
      return
    }
    // What a service says may quote what an agent wrote.
    console.error(printable(error instanceof Error ? error.message : String(error)))
    process.exitCode = error instanceof CommandFailure ? error.exitCode : exitCodes.failed
  }
}

await main()
