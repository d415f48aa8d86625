import type { EmailDigest } from '#policy/settings.ts'

const dayMs = 24 * 3_600_000

/**
 * The newest instant up to `now` at which digests are due: each day at a local time of a zone, also
 * when its clocks change, or at intervals counted from 1970. It is the same in every process. Pure.
 */
export function digestSlot(now: Date, digest: EmailDigest): Date {
  if ('everyMs' in digest) {
    return new Date(Math.floor(now.getTime() / digest.everyMs) * digest.everyMs)
  }
  const clock = clockOf(digest.timeZone)
  const today = wallTime(clock, now)
  const [hours = 0, minutes = 0] = digest.at.split(':').map(Number)
  const wall = Math.floor(today / dayMs) * dayMs + (hours * 60 + minutes) * 60_000
  const slots = [wall, wall - dayMs].map((time) => instantOf(clock, time))
  return slots.find((slot) => slot <= now) ?? new Date(now.getTime() - dayMs)
}

/** The first instant after `now` at which digests are due. Pure. */
export function nextDigestSlot(now: Date, digest: EmailDigest): Date {
  if ('everyMs' in digest) return new Date(digestSlot(now, digest).getTime() + digest.everyMs)
  const slots = hoursAhead.map((hours) =>
    digestSlot(new Date(now.getTime() + hours * 3_600_000), digest),
  )
  return slots.find((slot) => slot > now) ?? new Date(now.getTime() + dayMs)
}

/**
 * The hours from now in which the next slot is searched, one after the other. A day on which clocks
 * change has 22 to 26 hours, so two slots are always further apart than one of these steps, and the
 * next slot is never further away than the last one.
 */
const hoursAhead = [12, 24, 27]

/** Whether something that ends at `over` would end before the next digest. Pure. */
export function isOverBeforeDigest(over: Date, now: Date, digest: EmailDigest): boolean {
  return over < nextDigestSlot(now, digest)
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}

/** A zone's local time, encoded as if it were UTC, in milliseconds. */
function wallTime(clock: Intl.DateTimeFormat, at: Date): number {
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const day = [of('year'), of('month') - 1, of('day')] as const
  return Date.UTC(...day, of('hour'), of('minute'), of('second'))
}

/** The instant of a zone's local time; a skipped time as if the clock had gone on. */
function instantOf(clock: Intl.DateTimeFormat, wall: number): Date {
  const ahead = (instant: number): number => wallTime(clock, new Date(instant)) - instant
  return new Date(wall - ahead(wall - ahead(wall)))
}
