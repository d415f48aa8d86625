import type { Run } from '#api/schemas/runs/runs.ts'
import { useMe, useRuns } from '../api/queries.ts'

/** The API's query for the person's own runs that wait for an approval. */
export const ownWaitingRuns = 'startedBy=me&state=waiting_for_approval'

const soonMs = 3_600_000
/** The requests after which the end of the list is not on a usual screen. */
const rowsInSight = 6

export interface OwnWaitingRequest {
  readonly run: Run
  readonly request: Run['waitsFor'][number]
}

/** The requests that the person's own runs wait for, as far as they are loaded. */
export function useOwnWaiting(): {
  readonly entries: readonly OwnWaitingRequest[]
  readonly isPending: boolean
  readonly hasMore: boolean
} {
  const { person } = useMe()
  const { data, isPending, hasNextPage } = useRuns(ownWaitingRuns)
  const entries = (data?.pages ?? [])
    .flatMap(({ items }) =>
      items.flatMap((run) => run.waitsFor.map((request) => ({ run, request }))),
    )
    .filter((entry) => isForOthers(entry, person.id))
  return { entries, isPending, hasMore: hasNextPage }
}

/**
 * Whether a request waits for others than `me`. What the person answers or decides is in their list
 * of requests. Pure.
 */
export function isForOthers({ request }: OwnWaitingRequest, me: string): boolean {
  return request.people.every(({ id }) => id !== me)
}

/** Whether a request can be decided by nobody, or expires within an hour. Pure. */
export function isPressing({ request }: OwnWaitingRequest, nowMs: number): boolean {
  return request.people.length === 0 || Date.parse(request.expiresAt) - nowMs < soonMs
}

/**
 * Where the page has the list of what a person waits for: above the requests (`first`) or below
 * them, and whether a line above the requests links to it. The list is above the requests if the
 * person can decide none of them, or if something that they wait for is pressing. An empty list is
 * not put above requests, because its first entry would move them. Pure.
 */
export function placeOfOwn(facts: {
  readonly entries: readonly OwnWaitingRequest[]
  /** the number of requests that the person can decide */
  readonly mine: number
  readonly rows: number
  readonly nowMs: number
}): { readonly first: boolean; readonly hasLine: boolean } {
  const { entries, mine, rows, nowMs } = facts
  const movesNothing = entries.length > 0 || rows === 0
  const first = (mine === 0 && movesNothing) || entries.some((entry) => isPressing(entry, nowMs))
  return { first, hasLine: !first && entries.length > 0 && rows > rowsInSight }
}
