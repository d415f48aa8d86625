import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'

/** How a command ended. If a limit ended it, `exceeded` is a sentence about the limit. */
export interface CommandEnd {
  /** as in a shell: 128 and the number for one that a signal ended */
  readonly exitCode: number
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  readonly timedOut: boolean
  readonly exceeded: string | null
  /** refused connections, as sentences */
  readonly refused?: readonly string[]
}

/** The sandbox could not be set up, and the command did not begin. The message is a sentence. */
export class SandboxFailed extends Error {
  override readonly name = 'SandboxFailed'
  /** a mount was replaced meanwhile: another try may succeed */
  readonly isSwapped: boolean

  constructor(message: string, isSwapped = false) {
    super(message)
    this.isSwapped = isSwapped
  }
}

/** The signal ended the command. */
export class CommandStopped extends Error {
  override readonly name = 'CommandStopped'
}

/** Resolves with the exit code, as in a shell, when the process and its streams are closed. */
export function endOf(child: ChildProcess): Promise<number> {
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
    // It has ended.
  }
}

/** One stream of a command: its first bytes, and the number of all. */
export interface StreamOutput {
  readonly bytes: Buffer
  readonly total: number
}

/**
 * Reads a stream to its end and stores its first `maxBytes`, which `on.data` gets as they come.
 * Calls `on.overflow` once when there are more.
 */
export function collectOutput(
  stream: Readable,
  maxBytes: number,
  on: { readonly data: (bytes: Uint8Array) => void; readonly overflow: () => void },
): () => StreamOutput {
  const chunks: Buffer[] = []
  let [size, total] = [0, 0]
  stream.on('data', (chunk: Buffer) => {
    const room = chunk.subarray(0, Math.max(0, maxBytes - size))
    if (room.length > 0) {
      chunks.push(room)
      size += room.length
      on.data(room)
    }
    const before = total
    total += chunk.length
    if (before <= maxBytes && total > maxBytes) on.overflow()
  })
  // A broken stream has ended: what came until then counts.
  stream.on('error', () => undefined)
  return () => ({ bytes: Buffer.concat(chunks), total })
}
