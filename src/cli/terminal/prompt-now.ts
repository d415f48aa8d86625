import { confirm } from '@clack/prompts'
import type { Readable } from 'node:stream'
import { CommandFailure, exitCodes } from './exit-codes.ts'
import { Keyboard } from './keyboard.ts'

/**
 * Runs a prompt with the keys that are pressed from now on. Keys that were pressed before its text
 * was on the screen answer nothing, and neither does pasted text. Ctrl-C rejects with a
 * `CommandFailure` of this sentence.
 */
export async function promptNow<T>(
  whenLeft: string,
  act: (input: Readable) => Promise<T>,
): Promise<T> {
  using keyboard = new Keyboard(() => process.exit(exitCodes.failed))
  if (await keyboard.settle()) throw new CommandFailure(whenLeft)
  return await keyboard.prompt(act)
}

/** Whether the person chooses "yes": Enter alone means "no", and so does leaving. */
export async function isConfirmed(message: string, input: Readable): Promise<boolean> {
  return (await confirm({ input, message, initialValue: false })) === true
}
