import { fstatSync, writeSync } from 'node:fs'
import { errorMessage } from '#domain/error-message.ts'
import { exitCodes } from './exit-codes.ts'

let isWholeCommand = true

/**
 * From now on the command goes on if its lines can no longer be written, as on a full disk: its
 * work is not what it prints.
 */
export function continueWithoutOutput(): void {
  isWholeCommand = false
}

/**
 * What happens when an output cannot be written. A reader of the output may stop reading
 * (`… | head`), which is not a failure of the command; anything else is, and the command ends with
 * a sentence. A reader or a file of messages (`… 2>&1 | head`) changes nothing: the exit code still
 * says what happened.
 */
export function endWithOutput(): void {
  writeWholeOutput()
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    if (!isWholeCommand) return
    console.error(`The output could not be written: ${errorMessage(error)}`)
    process.exit(exitCodes.failed)
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
