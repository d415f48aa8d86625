import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import type { TimeHolder } from '#domain/runs/time-holders.ts'

/** One interval of a run, in milliseconds since its first message. */
export interface RunInterval {
  readonly holder: TimeHolder
  readonly turn: number
  readonly what: string
  readonly from: number
  readonly to: number
}

/**
 * The intervals of a run in order: a turn from its request to its answer, a call from its request
 * to its decision, and from its start to its end. `nowMs` ends the interval of a call that still
 * waits for people; `null`: the run has ended. Pure.
 */
export function runTimes(
  items: readonly TranscriptItem[],
  nowMs: number | null,
): readonly RunInterval[] {
  const [first] = items
  if (first === undefined) return []
  const zero = Date.parse(first.at)
  const intervals: RunInterval[] = []
  let read = zero
  const add = (holder: TimeHolder, turn: number, what: string, from: number, to: number): void => {
    if (to > from) intervals.push({ holder, turn, what, from: from - zero, to: to - zero })
  }
  for (const { role, at, turn, calls = [] } of items) {
    const answered = Date.parse(at)
    if (role === 'assistant') add('model', turn, `turn ${turn}`, read, answered)
    read = Math.max(read, answered)
    for (const { tool, times, result } of calls) {
      const [opening, decided, started, finished] = [
        times?.askedAt,
        times?.decidedAt,
        times?.startedAt,
        times?.finishedAt,
      ].map((time) => (time == null ? null : Date.parse(time)))
      const answer = decided ?? (result === undefined ? nowMs : null)
      if (opening != null && answer != null) add('people', turn, tool, opening, answer)
      if (started != null && finished != null) add('tools', turn, tool, started, finished)
      if (finished != null) read = Math.max(read, finished)
    }
  }
  return intervals
}

/**
 * The time in which the run waited for each kind, in milliseconds. What several calls of a turn
 * waited for at once counts once. Pure.
 */
export function timeTotals(
  intervals: readonly RunInterval[],
): Readonly<Record<TimeHolder, number>> {
  const of = (holder: TimeHolder): number => {
    const own = intervals.filter((one) => one.holder === holder)
    let [sum, until] = [0, 0]
    for (const { from, to } of own.toSorted((one, other) => one.from - other.from)) {
      sum += Math.max(0, to - Math.max(from, until))
      until = Math.max(until, to)
    }
    return sum
  }
  return { model: of('model'), tools: of('tools'), people: of('people') }
}
