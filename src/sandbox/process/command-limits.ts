import { limits } from '#domain/limits.ts'

/** The limits of one command (security.md 24). Bytes, unless the name says otherwise. */
export interface CommandLimits {
  /** of each of standard output and standard error; more ends the command */
  readonly outputBytes: number
  /** of each process by the kernel, of all together by polling */
  readonly memoryBytes: number
  readonly processes: number
  /** of one file and of the private `/tmp` by the kernel, of all together by polling */
  readonly writtenBytes: number
  /** how many files it may create or change, by polling */
  readonly files: number
}

/** The bounds of security.md 24, as the installation sets them. */
export const commandLimits: CommandLimits = {
  outputBytes: limits.storedOutputBytes,
  memoryBytes: limits.sandboxMemoryBytes,
  processes: limits.sandboxProcesses,
  writtenBytes: limits.sandboxWrittenBytes,
  files: 200_000,
}
