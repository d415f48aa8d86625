/** How long something has waited: up to an hour, a day, a week, or longer. */
export const waitingAges = ['hour', 'day', 'week', 'longer'] as const
export type WaitingAge = (typeof waitingAges)[number]

const hourMs = 3_600_000
const bounds: Readonly<Record<WaitingAge, { readonly minMs: number; readonly maxMs: number }>> = {
  hour: { minMs: -Infinity, maxMs: hourMs },
  day: { minMs: hourMs, maxMs: 24 * hourMs },
  week: { minMs: 24 * hourMs, maxMs: 7 * 24 * hourMs },
  longer: { minMs: 7 * 24 * hourMs, maxMs: Infinity },
}

/** When what has waited so long at a time was opened: `from` or later, before `to`. Pure. */
export function openedOfAge(
  age: WaitingAge,
  at: Date,
): { readonly from?: Date; readonly to?: Date } {
  const { minMs, maxMs } = bounds[age]
  return {
    ...(Number.isFinite(maxMs) && { from: new Date(at.getTime() - maxMs) }),
    ...(Number.isFinite(minMs) && { to: new Date(at.getTime() - minMs) }),
  }
}
