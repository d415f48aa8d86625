import '#runtime/processes/async-disposable-stack.ts'
import { fstatSync, writeSync } from 'node:fs'
import { CommanderError } from 'commander'
import { errorMessage } from '#domain/error-message.ts'
import { takeLifeline } from '#runtime/processes/lifeline.ts'
import { CommandFailure, exitCodes } from './terminal/exit-codes.ts'
import { fileSentence } from './terminal/file-sentence.ts'
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

/**
 * A reader of the output may stop reading (`… | head`), which is not a failure of the command. A
 * reader of messages (`… 2>&1 | head`) changes nothing: the exit code still says what happened.
 */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/**
 * If standard output is a file and a full disk stores only a part of what is written, Node drops
 * the rest without an error: an export would be cut, and the exit code would say that it is
 * complete.
 */
function writeWholeOutput(): void {
  const { stdout } = process
  if (!fstatSync(stdout.fd).isFile()) return
  stdout._write = (chunk: Buffer, _encoding, done) => {
    try {
      for (let at = 0; at < chunk.length;) at += writeSync(stdout.fd, chunk, at)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

async function main(): Promise<void> {
  endWithLauncher()
  writeWholeOutput()
  endWithReader()
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
