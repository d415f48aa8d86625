import type { ChildProcess } from 'node:child_process'

/** Why a child has no pipes: the rest of a sentence. */
export const tooManyFiles = 'too many files are open'

/**
 * Whether a child has its pipes. Where no file descriptor is free, `spawn` returns one without them
 * and reports that later by an event, which would end this process: a listener is added for it.
 */
export function hasPipes(child: ChildProcess): boolean {
  child.once('error', () => undefined)
  return (child.stdio as unknown) !== undefined
}
