import { processEnvironment, readText } from '#runtime/environment.ts'

/** Whether a person can answer at this terminal; otherwise no command asks anything. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Whether the terminal supports no escape sequences, such as a shell in an editor. */
export function isDumb(): boolean {
  return readText(processEnvironment(), 'TERM') === 'dumb'
}
