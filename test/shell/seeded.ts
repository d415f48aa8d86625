/** A seeded source of choices, so that a failing script can be made again. */
export interface Choices {
  /** a whole number from 0 up to, not including, `below` */
  number(below: number): number
  one<T>(options: readonly T[]): T
  /** true in so many of a hundred cases */
  percent(chance: number): boolean
}

/** Mulberry32: small, fast, and the same on every machine. */
export function seededChoices(seed: number): Choices {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const number = (below: number): number => Math.floor(next() * below)
  return {
    number,
    one: (options) => options[number(options.length)] as (typeof options)[number],
    percent: (chance) => next() * 100 < chance,
  }
}
