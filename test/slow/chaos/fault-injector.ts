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

  /**
   * Waits for its turn, runs `approach` up to the awkward moment and kills the victim there. Returns what
   * `approach` left running; the next one has its turn when the victim is back.
   */
  async killAt<T>(victim: ProcessName, approach: () => Promise<T>): Promise<T> {
    const before = this.#turn
    let done = (): void => undefined
    this.#turn = new Promise((resolve) => {
      done = resolve
    })
    await before
    const result = await approach()
    const gone = await this.#installation.killNine(victim)
    this.killed[victim] += 1
    void this.#installation.untilBack(victim, gone).finally(done)
    return result
  }
}
