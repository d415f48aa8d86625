import { Socket } from 'node:net'
import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'

/** Names the descriptor of the lifeline in a child's environment. */
export const lifelineVariable = 'COUNTERSIGN_LIFELINE'

export interface Lifeline {
  /**
   * Resolves when the other end is closed: whoever started this process has ended, or lets it go.
   */
  readonly closed: Promise<void>
  /** Tell the other end that this process serves now. */
  readonly sayReady: () => void
  /** Tell it what this process waits for before it can serve. */
  readonly sayWaits: (sentence: string) => void
  /** Tell it, every second, that the event loop of this process turns. */
  readonly sayTurns: () => void
  /** Tell it that this process will not serve, and why; starting it again would not help. */
  readonly sayRefused: (sentence: string) => Promise<void>
}

let own: Lifeline | null = null

/**
 * The lifeline of this process, opened once by the entry point; `null` when nobody holds the other
 * end.
 */
export function ownLifeline(): Lifeline | null {
  return own
}

/**
 * Opens the lifeline that the environment names and takes it out of there: children of ours have
 * none.
 */
export function takeLifeline(): Lifeline | null {
  const lifeline = openLifeline(process.env)
  delete process.env[lifelineVariable]
  return lifeline
}

/**
 * The lifeline to the process that started this one, or `null` when there is none. Does not keep
 * the process alive.
 */
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
    sayTurns: () => void socket.write('turns\n'),
    sayRefused: (sentence) =>
      new Promise((resolve) => {
        socket.write(`refused ${JSON.stringify(sentence)}\n`, () => resolve())
      }),
  }
  return own
}
