/** The work of one address: how many pieces run, and what starts those that wait. */
interface Turns {
  running: number
  readonly waiting: (() => void)[]
}

/** Runs at most `max` pieces of work of one address at once; further ones wait, in order. */
export class AddressTurns {
  readonly #max: number
  readonly #turns = new Map<string, Turns>()

  constructor(max: number) {
    this.#max = max
  }

  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(address) ?? { running: 0, waiting: [] }
    this.#turns.set(address, turns)
    if (turns.running < this.#max) turns.running += 1
    // Work that ends leaves its place to this one.
    else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = turns.waiting.shift()
      if (next === undefined) turns.running -= 1
      else next()
      if (turns.running === 0) this.#turns.delete(address)
    }
  }
}
