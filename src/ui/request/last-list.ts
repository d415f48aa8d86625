import { useSyncExternalStore } from 'react'

/** A request of a list. `open`: it still waits. */
export interface ListedRequest {
  readonly number: number
  readonly open: boolean
}

/** The list a request was opened from, so that its page can go to the next one. */
export interface LastList {
  readonly address: string
  readonly requests: readonly ListedRequest[]
}

let last: LastList = { address: '/', requests: [] }
const listeners = new Set<() => void>()

/** Remembers the list on the screen: its address and its requests in order. */
export function rememberList(list: LastList): void {
  last = list
  for (const listener of listeners) listener()
}

/** Where the list was that led here. */
export function lastListAddress(): string {
  return last.address
}

/** What the list is told when somebody comes back from a request of it. */
export interface FromRequest {
  readonly fromRequest: number
}

/**
 * Where the list is that a request's address names by its filters, or else the one on the screen
 * before; for `navigate`.
 */
export function backToList(search: string, number: number): [string, { state: FromRequest }] {
  return [search === '' ? last.address : `/${search}`, { state: { fromRequest: number } }]
}

/** The remembered list, also as it changes beside the page. */
export function useLastList(): LastList {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => last,
  )
}

/** Where a request stands in a list; numbers of requests, null where there is none. */
export interface PlaceInList {
  /** from 1, among those that wait */
  readonly position: number | null
  readonly size: number
  readonly next: number | null
  readonly previous: number | null
  /** the next one that is not on its way to the service already */
  readonly nextToDecide: number | null
}

/** Neighbours of a request among those that wait; `sent` are passed over after a decision. Pure. */
export function placeInList(
  { requests }: Pick<LastList, 'requests'>,
  number: number,
  sent: ReadonlySet<number>,
): PlaceInList {
  const at = requests.findIndex((one) => one.number === number)
  const after = requests.slice(at + 1).filter(({ open }) => open)
  const before = requests.slice(0, Math.max(at, 0)).filter(({ open }) => open)
  return {
    position: requests[at]?.open === true ? before.length + 1 : null,
    size: requests.filter(({ open }) => open).length,
    next: after[0]?.number ?? null,
    previous: before.at(-1)?.number ?? null,
    nextToDecide: after.find((one) => !sent.has(one.number))?.number ?? null,
  }
}
