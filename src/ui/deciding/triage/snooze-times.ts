/** A time until which a request can be snoozed. */
export interface SnoozeTime {
  readonly label: string
  readonly at: Date
}

const hourMs = 3_600_000
const morning = 9

/**
 * In one hour, in four hours, tomorrow and next Monday at nine, in the viewer's time zone. On a
 * Sunday tomorrow is Monday, and is listed once. Pure.
 */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  return [
    { label: '1 hour', at: new Date(now.getTime() + hourMs) },
    { label: '4 hours', at: new Date(now.getTime() + 4 * hourMs) },
    { label: 'Tomorrow 9:00', at: morningAfter(now, 1) },
    ...(daysToMonday === 1 ? [] : [{ label: 'Monday 9:00', at: morningAfter(now, daysToMonday) }]),
  ]
}

function morningAfter(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning)
}
