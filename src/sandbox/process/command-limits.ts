/** What one command may use (security.md 24). Bytes, unless the name says otherwise. */
export interface CommandLimits {
  /** of each of standard output and standard error; more ends the command */
  readonly outputBytes: number
  /** of each process by the kernel, of all together by watching */
  readonly memoryBytes: number
  readonly processes: number
  /** of one file and of the private `/tmp` by the kernel, of all together by watching */
  readonly writtenBytes: number
  /** how many files it may make or change, by watching */
  readonly files: number
}

/** The defaults of security.md 24. */
export const commandLimits: CommandLimits = {
  outputBytes: 10 * 1024 * 1024,
  memoryBytes: 2 * 1024 * 1024 * 1024,
  processes: 256,
  writtenBytes: 1024 * 1024 * 1024,
  files: 200_000,
}
