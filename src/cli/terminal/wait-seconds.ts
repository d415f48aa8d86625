import { CommandFailure, exitCodes } from './exit-codes.ts'

/** Seconds for which a program waits for a decision, at most a day. */
export function secondsOf(text: string, option = '--wait'): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds
  throw new CommandFailure(`${option} takes a number of seconds, 1 to 86400`, exitCodes.usage)
}
