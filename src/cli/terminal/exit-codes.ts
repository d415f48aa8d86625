/** Exit codes of every command (api.md, command line). */
export const exitCodes = { done: 0, failed: 1, usage: 2, pending: 3, denied: 4 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends the command with a sentence on standard error and this exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
