import { processEnvironment, readText } from '#runtime/environment.ts'

/** Whether a person sits at this terminal: without one, nothing is ever asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Whether the terminal takes no sequences, as that of a shell in an editor. */
export function isDumb(): boolean {
  return readText(processEnvironment(), 'TERM') === 'dumb'
}
