import type { InsightView, UsageView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'
import { openedOfAge, waitingAges, type WaitingAge } from '#domain/waiting-age.ts'

/** The parts of a bar, which are also the columns of the table. */
export const outcomes = ['approved', 'denied', 'expired', 'waiting'] as const
export type Outcome = (typeof outcomes)[number]
/** What a figure of the page counts. */
export type Figure =
  | Outcome
  | 'opened'
  | 'decided'
  | 'carriedOut'
  | 'failed'
  | 'grantsUsed'
  | WaitingAge

/** The period, group and person that an answer is about. */
export interface LinkScope {
  readonly by: InsightKey
  readonly from: string
  readonly to: string
  /** id of the signed-in person */
  readonly me: string
}

/** The figures of requests that were opened in the period. Pending ones count at any age. */
type TimedFigure = Exclude<Figure, WaitingAge>

const filtersOf: Readonly<Record<TimedFigure, Readonly<Record<string, string>>>> = {
  opened: { state: 'any' },
  decided: { state: 'any', decided: 'true' },
  approved: { state: 'approved' },
  denied: { state: 'denied' },
  expired: { state: 'expired' },
  waiting: { state: 'pending' },
  carriedOut: { state: 'any', effect: 'succeeded' },
  failed: { state: 'any', effect: 'failed' },
  // Lists the approved requests whose grants were used; a grant may have been used often.
  grantsUsed: { state: 'any', grantsUsed: 'true' },
}

/** Like the filters above, for the votes of one person. */
const votesOf: Readonly<Record<TimedFigure, Readonly<Record<string, string>> | null>> = {
  opened: {},
  decided: {},
  approved: { decision: 'approve' },
  denied: { decision: 'deny' },
  expired: null,
  waiting: null,
  carriedOut: { decision: 'approve', effect: 'succeeded' },
  failed: { decision: 'approve', effect: 'failed' },
  grantsUsed: { grantsUsed: 'true' },
}

/**
 * The address of the list that has exactly the requests of a figure; `null` if no list does, as for
 * requests that wait for somebody else. Pure.
 */
export function listBehind(
  { by, from, to, me }: LinkScope,
  { key }: Pick<InsightView, 'key'>,
  what: Figure,
): string | null {
  if (isAge(what)) {
    const range = openedOfAge(what, new Date(to))
    const times = Object.entries(range).map(([name, at]) => [name, at.toISOString()])
    const waits = by === 'person' ? { mine: 'true' } : { state: 'pending', [by]: key }
    return by === 'person' && key !== me
      ? null
      : inboxWith({ ...waits, ...Object.fromEntries(times) })
  }
  // Pending requests count whenever they were opened.
  const period = what === 'waiting' ? {} : { from, to }
  if (by !== 'person') return inboxWith({ ...filtersOf[what], [by]: key, ...period })
  if (what === 'waiting') return key === me ? '/?mine=true' : null
  const votes = votesOf[what]
  return votes && inboxWith({ state: 'any', decidedBy: key, ...votes, ...period })
}

function isAge(what: Figure): what is WaitingAge {
  return waitingAges.some((age) => age === what)
}

/** The address of a day's requests (UTC), all or those with one outcome. Pure. */
export function openedOn(day: string, what: Outcome | 'opened' | 'cancelled'): string {
  const from = `${day}T00:00:00.000Z`
  const to = new Date(Date.parse(from) + 24 * 3_600_000).toISOString()
  const filters = what === 'cancelled' ? { state: what } : filtersOf[what]
  return inboxWith({ ...filters, from, to })
}

/** The address of all requests of a period that expired unseen. Pure. */
export function unseenIn({ from, to }: Pick<LinkScope, 'from' | 'to'>): string {
  return inboxWith({ state: 'expired', unseen: 'true', from, to })
}

/** The address of the runs of a worker or person with a model step in a period. Pure. */
export function activeRuns(
  { by, from, to }: Pick<UsageView, 'by' | 'from' | 'to'>,
  key: string,
): string {
  const filter = by === 'worker' ? 'worker' : 'startedBy'
  return `/runs?${new URLSearchParams({ [filter]: key, activeFrom: from, activeTo: to }).toString()}`
}

function inboxWith(filters: Readonly<Record<string, string>>): string {
  return `/?${new URLSearchParams(filters).toString()}`
}
