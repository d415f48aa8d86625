import { diffArrays } from 'diff'

/** Lines of both sides, from (inclusive) to (exclusive): the same, or one for the other. */
export interface LineChange {
  readonly isSame: boolean
  readonly before: readonly [from: number, to: number]
  readonly after: readonly [from: number, to: number]
}

/** The most differences searched in one range, and the total work for all ranges. */
const maxEdits = 600
const maxComparedCells = 4_000_000

/**
 * How one list of lines becomes another, in order, in bounded time for any length. Common lines at
 * both ends are left out first; then it searches for the shortest change. If that would take too
 * long, lines that occur once on each side are anchors, and it searches again between them. The
 * rest is replaced as a whole. Pure.
 */
export function lineChanges(before: readonly string[], after: readonly string[]): LineChange[] {
  const numbers = new Map<string, number>()
  const numbersOf = (lines: readonly string[]): number[] =>
    lines.map((line) => {
      const number = numbers.get(line) ?? numbers.size
      numbers.set(line, number)
      return number
    })
  const search = new Search(numbersOf(before), numbersOf(after))
  search.compare(0, before.length, 0, after.length)
  return search.changes
}

class Search {
  readonly changes: LineChange[] = []
  readonly #before: readonly number[]
  readonly #after: readonly number[]
  #work = maxComparedCells

  constructor(before: readonly number[], after: readonly number[]) {
    this.#before = before
    this.#after = after
  }

  /** Compares two ranges. The stack has the remaining work, in order. */
  compare(...stretch: Stretch): void {
    const todo: (Stretch | LineChange)[] = [stretch]
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (!Array.isArray(next)) {
        this.#add(next)
        continue
      }
      const parts = this.#split(next)
      for (let at = parts.length - 1; at >= 0; at -= 1) {
        const part = parts[at]
        if (part !== undefined) todo.push(part)
      }
    }
  }

  #add(change: LineChange): void {
    const last = this.changes.at(-1)
    if (last?.isSame === change.isSame) {
      this.changes[this.changes.length - 1] = {
        isSame: change.isSame,
        before: [last.before[0], change.before[1]],
        after: [last.after[0], change.after[1]],
      }
    } else if (change.before[1] > change.before[0] || change.after[1] > change.after[0]) {
      this.changes.push(change)
    }
  }

  #split([a0, a1, b0, b1]: Stretch): (Stretch | LineChange)[] {
    const [start, end] = this.#commonEnds([a0, a1, b0, b1])
    const middle: Stretch = [a0 + start, a1 - end, b0 + start, b1 - end]
    const parts = [
      matchedLines(a0, b0, start),
      ...this.#inside(middle),
      matchedLines(a1 - end, b1 - end, end),
    ]
    return parts
  }

  #commonEnds([a0, a1, b0, b1]: Stretch): readonly [number, number] {
    const maxShared = Math.min(a1 - a0, b1 - b0)
    let start = 0
    while (start < maxShared && this.#before[a0 + start] === this.#after[b0 + start]) start += 1
    let end = 0
    while (end < maxShared - start && this.#before[a1 - 1 - end] === this.#after[b1 - 1 - end])
      end += 1
    return [start, end]
  }

  #inside([a0, a1, b0, b1]: Stretch): (Stretch | LineChange)[] {
    const replaced: LineChange = { isSame: false, before: [a0, a1], after: [b0, b1] }
    if (a0 === a1 || b0 === b1) return [replaced]
    const shortest = this.#shortest([a0, a1, b0, b1])
    if (shortest !== null) return shortest
    const anchors = this.#anchors([a0, a1, b0, b1])
    if (anchors.length === 0) return [replaced]
    const parts: (Stretch | LineChange)[] = []
    let [a, b] = [a0, b0]
    for (const [atA, atB] of anchors) {
      parts.push([a, atA, b, atB], matchedLines(atA, atB, 1))
      ;[a, b] = [atA + 1, atB + 1]
    }
    parts.push([a, a1, b, b1])
    return parts
  }

  /** The shortest change, if it can be found with the remaining work. */
  #shortest([a0, a1, b0, b1]: Stretch): LineChange[] | null {
    const maxEditLength = Math.min(maxEdits, Math.floor(Math.sqrt(Math.max(0, this.#work))))
    if (maxEditLength < 8 || Math.abs(a1 - a0 - (b1 - b0)) > maxEditLength) return null
    const changes = diffArrays(this.#before.slice(a0, a1), this.#after.slice(b0, b1), {
      maxEditLength,
    })
    if (changes === undefined) {
      this.#work -= maxEditLength * maxEditLength
      return null
    }
    const edits = changes.reduce(
      (sum, change) => sum + (change.added || change.removed ? change.value.length : 0),
      0,
    )
    this.#work -= edits * edits
    let [a, b] = [a0, b0]
    return changes.map(({ added, removed, value }) => {
      const from: LineChange['before'] = [a, added ? a : a + value.length]
      const to: LineChange['after'] = [b, removed ? b : b + value.length]
      ;[a, b] = [from[1], to[1]]
      return { isSame: !added && !removed, before: from, after: to }
    })
  }

  /** Lines that occur once on each side, as far as they are in the same order (patience). */
  #anchors([a0, a1, b0, b1]: Stretch): [number, number][] {
    const inBefore = placesOnce(this.#before, a0, a1)
    const inAfter = placesOnce(this.#after, b0, b1)
    const pairs = [...inBefore].flatMap(([line, a]): [number, number][] => {
      const b = inAfter.get(line) ?? -1
      return a >= 0 && b >= 0 ? [[a, b]] : []
    })
    return longestIncreasing(pairs.toSorted(([left], [right]) => left - right))
  }
}

type Stretch = [beforeFrom: number, beforeTo: number, afterFrom: number, afterTo: number]

function matchedLines(a: number, b: number, length: number): LineChange {
  return { isSame: true, before: [a, a + length], after: [b, b + length] }
}

/** The index of each line, -1 when it occurs more than once. */
function placesOnce(lines: readonly number[], from: number, to: number): Map<number, number> {
  const places = new Map<number, number>()
  for (let at = from; at < to; at += 1) {
    const line = lines[at] ?? -1
    places.set(line, places.has(line) ? -1 : at)
  }
  return places
}

/** The longest subsequence of pairs in which both numbers increase. */
function longestIncreasing(pairs: readonly (readonly [number, number])[]): [number, number][] {
  const tails: number[] = []
  const previous: number[] = []
  for (const [index, [, value]] of pairs.entries()) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1
      else high = middle
    }
    previous[index] = tails[low - 1] ?? -1
    tails[low] = index
  }
  const anchors: [number, number][] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const [a = 0, b = 0] = pairs[at] ?? []
    anchors.push([a, b])
  }
  return anchors.toReversed()
}
