import { Socket } from 'node:net'
import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'

/** The environment variable with the descriptor of the lifeline. */
export const lifelineVariable = 'COUNTERSIGN_LIFELINE'

export interface Lifeline {
  /** Resolves when the other end is closed: the parent has ended, or requests the end. */
  readonly closed: Promise<void>
  /** Reports to the parent that this process serves now. */
  readonly sayReady: () => void
  /** Reports to the parent what this process waits for. */
  readonly sayWaits: (sentence: string) => void
  /** Sends the parent a sentence for the person at its terminal. */
  readonly say: (sentence: string) => void
  /** Reports to the parent that the event loop runs, every second. */
  readonly sayTurns: () => void
  /** Reports to the parent that this process will not serve, and why; a restart would not help. */
  readonly sayRefused: (sentence: string) => Promise<void>
}

let own: Lifeline | null = null

/** The lifeline of this process, opened once by the entry point; `null` without a parent. */
export function ownLifeline(): Lifeline | null {
  return own
}

/** Opens the lifeline and removes its variable, so that child processes have none. */
export function takeLifeline(): Lifeline | null {
  const lifeline = openLifeline(process.env)
  delete process.env[lifelineVariable]
  return lifeline
}

/** The lifeline to the parent process, or `null`. It does not keep the process alive. */
function openLifeline(environment: Environment): Lifeline | null {
  const fd = Number(readText(environment, lifelineVariable) ?? Number.NaN)
  if (!Number.isSafeInteger(fd)) return null
  const socket = new Socket({ fd, readable: true, writable: true })
  socket.unref()
  socket.resume()
  const closed = new Promise<void>((resolve) => {
    socket.once('error', () => resolve())
    socket.once('close', () => resolve())
    socket.once('end', () => resolve())
  })
  own = {
    closed,
    sayReady: () => void socket.write('ready\n'),
    sayWaits: (sentence) => void socket.write(`waits ${JSON.stringify(sentence)}\n`),
    say: (sentence) => void socket.write(`says ${JSON.stringify(sentence)}\n`),
    sayTurns: () => void socket.write('turns\n'),
    sayRefused: (sentence) =>
      new Promise((resolve) => {
        socket.write(`refused ${JSON.stringify(sentence)}\n`, () => resolve())
      }),
  }
  return own
}
