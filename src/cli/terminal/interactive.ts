/** Whether a person sits at this terminal: without one, nothing is ever asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}
