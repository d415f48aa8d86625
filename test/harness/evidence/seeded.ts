/** A source of random numbers. */
export interface Random {
  /** a whole number from 0 to before `count` */
  below(count: number): number
}

/** Random numbers that a seed repeats (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return {
    below(count) {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count)
    },
  }
}
