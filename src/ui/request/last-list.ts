import { useSyncExternalStore } from 'react'
import { newListeners } from '#domain/listeners.ts'

/** A request of a list. `open`: it is pending. `isPutOff`: the person has snoozed it. */
export interface ListedRequest {
  readonly number: number
  readonly open: boolean
  readonly isPutOff: boolean
}

/** The list from which a request was opened, so that its page can go to the next one. */
export interface LastList {
  readonly address: string
  readonly requests: readonly ListedRequest[]
}

let last: LastList = { address: '/', requests: [] }
const listeners = newListeners()

/** Remembers the list on the screen: its address and its requests in order. */
export function rememberList(list: LastList): void {
  last = list
  listeners.notify()
}

/** The address of the list that led to this page. */
export function lastListAddress(): string {
  return last.address
}

/** The router state for a return from a request to the list. */
export interface FromRequest {
  readonly fromRequest: number | null
}

/**
 * The arguments of `navigate` for the list that a request's address names by its filters, or else
 * for the remembered list.
 */
export function backToList(
  search: string,
  number: number | null,
): [string, { state: FromRequest }] {
  return [search === '' ? last.address : `/${search}`, { state: { fromRequest: number } }]
}

/** The remembered list, updated when it changes. */
export function useLastList(): LastList {
  return useSyncExternalStore(listeners.subscribe, () => last)
}

/** The position of a request in a list and its neighbours by number; null: none. */
export interface PlaceInList {
  /** from 1, among pending requests */
  readonly position: number | null
  readonly size: number
  readonly next: number | null
  readonly previous: number | null
  /** the next request that is not put off and has no decision that is being sent */
  readonly nextToDecide: number | null
}

/**
 * The neighbours of a request among pending requests, without those in `sent`. An unknown request
 * has none. Pure.
 */
export function placeInList(
  { requests }: Pick<LastList, 'requests'>,
  number: number | null,
  sent: ReadonlySet<number>,
): PlaceInList {
  if (number === null) return placeInList({ requests: [] }, 0, sent)
  const at = requests.findIndex((one) => one.number === number)
  const after = requests.slice(at + 1).filter(({ open }) => open)
  const before = requests.slice(0, Math.max(at, 0)).filter(({ open }) => open)
  return {
    position: requests[at]?.open === true ? before.length + 1 : null,
    size: requests.filter(({ open }) => open).length,
    next: after[0]?.number ?? null,
    previous: before.at(-1)?.number ?? null,
    nextToDecide: after.find((one) => !one.isPutOff && !sent.has(one.number))?.number ?? null,
  }
}
