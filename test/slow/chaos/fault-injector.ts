import type { Installation, ProcessName } from '../../harness/installation/installation.ts'

/** Kills processes one at a time: the next only when the one before serves again. */
export class FaultInjector {
  readonly #installation: Installation
  #turn: Promise<void> = Promise.resolve()
  readonly killed: Record<ProcessName, number> = {
    postgres: 0,
    temporal: 0,
    api: 0,
    'temporal-worker': 0,
  }

  constructor(installation: Installation) {
    this.#installation = installation
  }

  /** How often the supervisor saw each process end. */
  get ended(): Record<ProcessName, number> {
    const counted = { postgres: 0, temporal: 0, api: 0, 'temporal-worker': 0 }
    for (const line of this.#installation.lines) {
      const [, name] = /^([a-z-]+) ended [(]code/.exec(line) ?? []
      if (name !== undefined && Object.hasOwn(counted, name)) counted[name as ProcessName] += 1
    }
    return counted
  }

  /**
   * Waits for its turn, runs `approach` up to the awkward moment and kills the victim there. Returns what
   * `approach` left running; the next one has its turn when the victim is back.
   */
  async killAt<T>(victim: ProcessName, approach: () => Promise<T>): Promise<T> {
    const killing = this.#turn.then(async () => {
      const result = await approach()
      const gone = await this.#installation.killNine(victim)
      this.killed[victim] += 1
      return { result, back: this.#installation.untilBack(victim, gone) }
    })
    this.#turn = killing.then(async ({ back }) => back)
    // Whoever has the next turn fails with this one; after the last nobody need.
    this.#turn.catch(() => undefined)
    return (await killing).result
  }
}
