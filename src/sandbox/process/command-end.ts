import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { KeptOutput } from './kept-output.ts'

/** How a command ended. A command that a limit ended has the limit as `exceeded`, a sentence. */
export interface CommandEnd {
  /** as a shell says it: 128 and the number for one that a signal ended */
  readonly exitCode: number
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  readonly timedOut: boolean
  readonly exceeded: string | null
}

/** The command could not be put where it runs, and did not begin. The message is a sentence. */
export class SandboxFailed extends Error {
  override readonly name = 'SandboxFailed'
}

/** The command was ended because the signal said so. */
export class CommandStopped extends Error {
  override readonly name = 'CommandStopped'
}

/** Resolves with the exit code once the process has ended and its streams are closed, as a shell says it. */
export function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new SandboxFailed(error.message)))
    child.once('close', (code, signal) => resolve(code ?? 128 + numberOf(signal)))
  })
}

function numberOf(signal: NodeJS.Signals | null): number {
  return constants.signals[signal ?? 'SIGKILL']
}

/** Asks one process to end. */
export function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended meanwhile.
  }
}
