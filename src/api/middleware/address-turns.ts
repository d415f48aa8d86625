/** Work of one address: the number that runs, and what waits. */
interface Turns {
  running: number
  readonly waiting: (() => void)[]
}

/** Runs the work of each address at most so many at once; the rest waits, in order. */
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
    // Whoever ends passes its place on.
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
