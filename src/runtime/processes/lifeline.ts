import { Socket } from 'node:net'
import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'

/** Names the descriptor of the lifeline in a child's environment. */
export const LIFELINE_VARIABLE = 'COUNTERSIGN_LIFELINE'

export type Lifeline = {
  /** Resolves when the other end is closed: whoever started this process has ended, or lets it go. */
  closed: Promise<void>
  /** Tell the other end that this process serves now. */
  sayReady(): void
}

/** The lifeline to the process that started this one, or `null` when there is none. Does not keep the process alive. */
export function openLifeline(environment: Environment): Lifeline | null {
  const fd = Number(readText(environment, LIFELINE_VARIABLE) ?? Number.NaN)
  if (!Number.isSafeInteger(fd)) return null
  const socket = new Socket({ fd, readable: true, writable: true })
  socket.unref()
  socket.resume()
  const closed = new Promise<void>((resolve) => {
    socket.once('error', () => resolve())
    socket.once('close', () => resolve())
    socket.once('end', () => resolve())
  })
  return { closed, sayReady: () => void socket.write('ready\n') }
}
