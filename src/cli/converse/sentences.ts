import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { dim } from '../text/colour.ts'
import { printableLine } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'

export const lostSentence = dim('The connection was lost. Trying again …')

/** The message for a person who leaves a run. */
export function leftSentence({ number }: RunDetail): string {
  return `\nYou left the run; it continues. Return with: countersign runs attach ${number}`
}

/** Why a run rests, and until when. */
export function restSentence({ rest, restsUntil, failure }: RunDetail): string {
  const until = restsUntil == null ? '' : ` It ends by itself ${fromNow(restsUntil)}.`
  if (rest === 'answered') return dim(`The run waits for your message.${until}`)
  return `${printableLine(failure?.message ?? 'The run waits for a message.')}${until}`
}
