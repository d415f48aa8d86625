import { fstatSync, writeSync } from 'node:fs'
import { errorMessage } from '#domain/error-message.ts'
import { exitCodes } from './exit-codes.ts'

let react = endCommand

/**
 * Replaces what happens when the output cannot be written, as on a full disk: a hook denies its
 * call, and what runs until a signal ends it goes on, since its work is not what it prints.
 */
export function whenOutputFails(reaction: (error: Error) => void): void {
  react = reaction
}

function endCommand(error: Error): void {
  console.error(`The output could not be written: ${errorMessage(error)}`)
  process.exit(exitCodes.failed)
}

/**
 * A reader of the output may stop reading (`… | head`), which is not a failure of the command. If
 * the output cannot be written, the command ends with a sentence. A command that has said otherwise
 * ({@link whenOutputFails}) decides about both. A reader or a file of messages (`… 2>&1 | head`)
 * changes nothing: the exit code still says what happened.
 */
export function watchOutput(): void {
  writeWholeOutput()
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && react === endCommand) process.exit()
    react(error)
  })
  process.stderr.on('error', () => undefined)
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
