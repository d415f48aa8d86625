/** The list a request was opened from, so that its page can go to the next one. */
interface LastList {
  readonly address: string
  readonly numbers: readonly number[]
}

let last: LastList = { address: '/', numbers: [] }

/**
 * Remembers the list on the screen: its address and the numbers of its waiting requests in order.
 */
export function rememberList(list: LastList): void {
  last = list
}

/** Where the list was that led here. */
export function lastListAddress(): string {
  return last.address
}

/** Neighbours of a request in the list it was opened from, and its place in it (from 1). */
export function placeInList(number: number): {
  position: number | null
  size: number
  next: number | null
  previous: number | null
} {
  const at = last.numbers.indexOf(number)
  const size = last.numbers.length
  if (at < 0) return { position: null, size, next: last.numbers[0] ?? null, previous: null }
  return {
    position: at + 1,
    size,
    next: last.numbers[at + 1] ?? null,
    previous: last.numbers[at - 1] ?? null,
  }
}
